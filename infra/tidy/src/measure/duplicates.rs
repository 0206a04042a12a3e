//! Pairs of functions that say the same with other names and values.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::functions::Function;
use super::tokens::{Kind, Token};

/// How many tokens in a row two functions share, at least.
const WINDOW: usize = 50;
/// What stands in more functions than this is an idiom, not a copy.
const MAX_PLACES: usize = 8;
/// Words of the language; every other word is a name.
const KEYWORDS: [&str; 24] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "fn", "for",
    "if", "impl", "in", "let", "loop", "match", "move", "mut", "ref", "return", "self", "Self",
    "while",
];

/// Pairs of functions that share a window of tokens when names and values are left out of account: the file and the name of each.
pub(super) fn pairs(functions: &[Function<'_>]) -> Vec<[String; 2]> {
    let mut places: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    for (function, each) in functions.iter().enumerate() {
        let shape: Vec<&str> = each.tokens().iter().map(shape).collect();
        for window in shape.windows(WINDOW) {
            let mut hasher = DefaultHasher::new();
            window.hash(&mut hasher);
            places.entry(hasher.finish()).or_default().insert(function);
        }
    }
    let shared = places.values().filter(|places| (2..=MAX_PLACES).contains(&places.len()));
    let pairs = shared.flat_map(|places| {
        let each = places.iter();
        each.flat_map(|one| places.range(one + 1..).map(move |other| (*one, *other)))
    });
    let apart = |(one, other): &(usize, usize)| !within(&functions[*one], &functions[*other]);
    let pairs: BTreeSet<(usize, usize)> = pairs.filter(apart).collect();
    pairs.iter().map(|(one, other)| [*one, *other].map(|at| place(&functions[at]))).collect()
}

fn place(function: &Function<'_>) -> String {
    format!("{}: {}", function.source.path.display(), function.name())
}

/// Whether one function stands within the other.
fn within(one: &Function<'_>, other: &Function<'_>) -> bool {
    std::ptr::eq(one.source, other.source) && one.start <= other.start && other.end <= one.end
}

fn shape(token: &Token) -> &str {
    match token.kind {
        Kind::Literal => "0",
        Kind::Word if !KEYWORDS.contains(&token.text.as_str()) => "x",
        _ => &token.text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::functions::of;
    use super::super::sources::source;
    use super::{MAX_PLACES, pairs};

    fn function(name: &str, value: u32, calls: usize) -> String {
        let calls: Vec<_> = (0..calls).map(|_| format!("{name}({value}, \"{name}\")")).collect();
        format!("fn {name}() {{ {} }}", calls.join("; "))
    }

    #[track_caller]
    fn check(functions: &[String], expect: usize) {
        let source = source("a/src/lib.rs", &functions.join("\n"));
        assert_eq!(pairs(&of(&source)).len(), expect);
    }

    #[test]
    fn the_same_shape_with_other_names_and_values_is_a_pair() {
        check(&[function("a", 1, 10), function("b", 2, 10)], 1);
        check(&[function("a", 1, 10), function("b", 2, 10), function("c", 3, 10)], 3);
    }

    #[test]
    fn short_or_other_code_is_none() {
        check(&[function("a", 1, 5), function("b", 2, 5)], 0);
        check(&[function("a", 1, 10), function("b", 2, 10).replace(',', "+")], 0);
    }

    #[test]
    fn an_idiom_is_none() {
        let many: Vec<_> = (0..=MAX_PLACES as u32).map(|nth| function("a", nth, 10)).collect();
        check(&many, 0);
    }

    #[test]
    fn a_function_within_another_is_no_copy_of_it() {
        check(&[format!("fn out() {{ {} }}", function("a", 1, 10))], 0);
    }
}
