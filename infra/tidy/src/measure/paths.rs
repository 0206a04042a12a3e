//! The paths a file names: what it imports, and what it calls by a path.

use super::tokens::{Kind, Token, starts};

/// A path with the name it has in the file, such as `["crate", "a", "B"]` as `B`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// `*` for all names of a module.
    pub(super) name: String,
}

/// Every path of every `use`.
pub(super) fn imports(tokens: &[Token]) -> Vec<Import> {
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is("use")) {
        tree(tokens, at + 1, &[], &mut found);
    }
    found
}

/// Reads one tree of a `use`; returns where it ends.
fn tree(tokens: &[Token], mut at: usize, before: &[String], found: &mut Vec<Import>) -> usize {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(at) {
        if token.is("{") {
            let end = at + token.to_close;
            at += 1;
            while at < end {
                at = tree(tokens, at, &path, found) + 1;
            }
            return end + 1;
        }
        if token.is("*") || token.kind == Kind::Word {
            at += 1;
            path.extend((token.text != "self" || path.is_empty()).then(|| token.text.clone()));
            if token.is("*") || !starts(tokens, at, &[":", ":"]) {
                let renamed = starts(tokens, at, &["as"]).then(|| tokens.get(at + 1)).flatten();
                let name = renamed.or(path.last().is_some().then_some(token));
                let name = match name {
                    Some(name) if name.text != "self" => name.text.clone(),
                    _ => path.last().cloned().unwrap_or_default(),
                };
                found.push(Import { path, name });
                return at + if renamed.is_some() { 2 } else { 0 };
            }
        }
        if starts(tokens, at, &[":", ":"]) {
            at += 2;
        } else {
            return at;
        }
    }
    at
}

/// Every path of two words or more outside of `use`, such as `super::a::b` of `super::a::b(1)`.
pub(super) fn named(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is("use") {
            while tokens.get(at).is_some_and(|token| !token.is(";")) {
                at += 1;
            }
        } else if tokens[at].kind == Kind::Word {
            let mut path = vec![tokens[at].text.clone()];
            at += 1;
            while starts(tokens, at, &[":", ":"])
                && tokens.get(at + 2).is_some_and(|token| token.kind == Kind::Word)
            {
                path.push(tokens[at + 2].text.clone());
                at += 3;
            }
            found.extend((path.len() > 1).then_some(path));
        } else {
            at += 1;
        }
    }
    found
}

/// The names a file defines at any depth: types, functions, constants, macros.
pub(super) fn defined(tokens: &[Token]) -> impl Iterator<Item = &str> {
    const WORDS: [&str; 9] =
        ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];
    tokens.windows(3).filter(|three| WORDS.iter().any(|word| three[0].is(word))).map(|three| {
        let name = if three[1].is("!") { &three[2] } else { &three[1] };
        name.text.as_str()
    })
}

/// The modules a file declares in files of their own.
pub(super) fn modules(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens
        .windows(3)
        .filter(|three| three[0].is("mod") && three[2].is(";"))
        .map(|three| three[1].text.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::tokens::read;
    use super::{imports, named};

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found = imports(&read(text).unwrap());
        let found: Vec<_> =
            found.iter().map(|each| format!("{} as {}", each.path.join("::"), each.name)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn every_form_of_a_use_is_read() {
        check("use a::b;", &["a::b as b"]);
        check("use a::b as c; use d;", &["a::b as c", "d as d"]);
        check(
            "pub(crate) use crate::a::{self, b::{C, D as E}, f::*};",
            &["crate::a as a", "crate::a::b::C as C", "crate::a::b::D as E", "crate::a::f::* as *"],
        );
        check(
            "use super::{a, b,}; use self::c;",
            &["super::a as a", "super::b as b", "self::c as c"],
        );
    }

    #[test]
    fn paths_in_code_are_found_and_imports_are_not_among_them() {
        let found = named(&read("use a::b; fn f() { super::c::d(e, g::h::<u8>()) }").unwrap());
        let found: Vec<_> = found.iter().map(|path| path.join("::")).collect();
        assert_eq!(found, ["super::c::d", "g::h"]);
    }
}
