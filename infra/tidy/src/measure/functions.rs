//! The functions of a file, and how long they are.

use super::sources::Source;
use super::tokens::{Kind, Token};

/// One function with a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function<'s> {
    pub(super) source: &'s Source,
    /// The token `fn`.
    pub(super) start: usize,
    /// The bracket before its body.
    pub(super) body: usize,
    /// The bracket after its body.
    pub(super) end: usize,
}

impl<'s> Function<'s> {
    pub(super) fn name(&self) -> &'s str {
        self.source.tokens.get(self.start + 1).map_or("", |token| &token.text)
    }

    /// From `fn` to the bracket before the body.
    pub(super) fn signature(&self) -> &'s [Token] {
        &self.source.tokens[self.start..self.body]
    }

    /// The body, with its brackets.
    pub(super) fn body(&self) -> &'s [Token] {
        &self.source.tokens[self.body..=self.end]
    }

    /// Signature and body.
    pub(super) fn tokens(&self) -> &'s [Token] {
        &self.source.tokens[self.start..=self.end]
    }

    /// Lines with code, from the signature's first to the last bracket.
    pub(super) fn lines(&self) -> usize {
        self.source.lines_between(self.start, self.end)
    }
}

/// Every function of a file that has a body; functions within functions too.
pub(super) fn of(source: &Source) -> Vec<Function<'_>> {
    let tokens = &source.tokens;
    let begins = |at: &usize| {
        tokens[*at].is("fn") && tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Word)
    };
    (0..tokens.len()).filter(begins).filter_map(|start| whole(source, start)).collect()
}

fn whole(source: &Source, start: usize) -> Option<Function<'_>> {
    let mut at = start;
    loop {
        let token = source.tokens.get(at)?;
        if token.is(";") {
            return None;
        }
        if token.is("{") {
            return Some(Function { source, start, body: at, end: at + token.to_close });
        }
        at += token.to_close + 1;
    }
}

/// The value below which `percent` of sorted values are, by nearest rank.
pub(super) fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sources::source;
    use super::{of, percentile};

    #[test]
    fn functions_have_the_lines_of_their_code() {
        let text = "trait T { fn without(&self); fn with(&self) {} }\nfn long(f: fn(u8) -> [u8; 2])\nwhere\n    A: B,\n{\n    // why\n\n    f(1);\n}\n";
        let source = source("a/src/lib.rs", text);
        let found: Vec<_> = of(&source).iter().map(|each| (each.name(), each.lines())).collect();
        assert_eq!(found, [("with", 1), ("long", 6)]);
    }

    #[test]
    fn percentiles_are_values_that_occur() {
        let values: Vec<usize> = (1..=10).collect();
        assert_eq!(
            (percentile(&values, 50), percentile(&values, 90), percentile(&values, 100)),
            (5, 9, 10)
        );
        assert_eq!(percentile(&[], 50), 0);
    }
}
