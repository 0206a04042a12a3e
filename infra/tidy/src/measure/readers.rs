//! Field readers written by hand: files that take a YAML or JSON mapping apart key by key.
//!
//! A function reads a field when it has a parameter of type `&str`, looks that key up in a mapping of values (`get`, `get_mut`,
//! `remove`, or `find` with a comparison), or hands it on to a function of the same file that does. A mapping is one of values
//! when the function names a JSON or YAML value, or takes one as a string, a number or a list. A file with [`FEWEST`] such
//! functions is a field reader.

use std::collections::BTreeSet;

use super::functions::{self, Function};
use super::sources::Source;
use super::tokens::{Kind, Token, starts};

/// Below this a file looks keys up and reads no document.
const FEWEST: usize = 3;
const LOOK_UPS: [&str; 5] = ["get", "get_mut", "remove", "shift_remove", "swap_remove"];
/// Types of values that somebody wrote.
const WRITTEN: [&str; 3] = ["Value", "Node", "Yaml"];
const TAKEN_AS: [&str; 7] =
    ["as_str", "as_bool", "as_i64", "as_u64", "as_f64", "as_array", "as_object"];

/// The paths of the field readers.
pub(super) fn of(sources: &[Source]) -> Vec<String> {
    let found = sources.iter().filter(|source| is_reader(source));
    found.map(|source| source.path.display().to_string()).collect()
}

fn is_reader(source: &Source) -> bool {
    let written = source.tokens.iter().any(|token| WRITTEN.iter().any(|word| token.is(word)));
    written && reading(&functions::of(source)).len() >= FEWEST
}

/// The names of the functions that read a field.
fn reading<'s>(functions: &[Function<'s>]) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for function in functions {
            let reads = |key: &&str| reads(function, key, &found);
            if keys(function.signature()).iter().any(reads) {
                found.insert(function.name());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The parameters of type `&str`.
fn keys(signature: &[Token]) -> Vec<&str> {
    let mut found = Vec::new();
    for at in 0..signature.len() {
        if signature[at].kind != Kind::Word || !starts(signature, at + 1, &[":", "&"]) {
            continue;
        }
        let lifetime = if starts(signature, at + 3, &["'"]) { 2 } else { 0 };
        if starts(signature, at + 3 + lifetime, &["str"]) {
            found.push(signature[at].text.as_str());
        }
    }
    found
}

/// Whether a function looks `key` up in a mapping of values, or hands it to one of `readers`.
fn reads(function: &Function<'_>, key: &str, readers: &BTreeSet<&str>) -> bool {
    let body = function.body();
    let is_of_values = function.signature().iter().chain(body).any(|token| {
        WRITTEN.iter().any(|word| token.is(word)) || TAKEN_AS.contains(&token.text.as_str())
    });
    (1..body.len()).any(|at| {
        let name = &body[at - 1];
        if !body[at].is("(") || name.kind != Kind::Word {
            return false;
        }
        let arguments = &body[at + 1..at + body[at].to_close];
        let first = arguments.first().is_some_and(|argument| argument.is(key));
        let looked_up = LOOK_UPS.contains(&name.text.as_str()) && first;
        let compared = name.is("find")
            && arguments.windows(3).any(|three| starts(three, 0, &["=", "="]) && three[2].is(key));
        is_of_values && (looked_up || compared) || (readers.contains(name.text.as_str()) && first)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sources::source;
    use super::of;

    const READER: &str = "impl Fields {
        fn value(&self, key: &'static str) -> Option<&Value> { self.map.get(key) }
        fn text(&self, key: &str, max: usize) -> Option<String> { self.value(key)?.as_str() }
        fn required(&self, key: &str) -> Option<String> { self.text(key, 3) }
    }";

    #[track_caller]
    fn check(text: &str, expect: bool) {
        let found = of(&[source("a/src/fields.rs", text)]);
        assert_eq!(found, if expect { vec!["a/src/fields.rs"] } else { vec![] });
    }

    #[test]
    fn a_file_that_takes_a_mapping_apart_is_found() {
        check(READER, true);
        check(
            &READER.replace("self.map.get(key)", "self.map.iter().find(|(k, _)| k == key)"),
            true,
        );
    }

    #[test]
    fn a_file_that_does_not_is_none() {
        check(&READER.replace(".get(key)", ".get(\"name\")"), false);
        check(&READER.replace("Value", "AttributeValue"), false);
        check("fn value(v: &Value, key: &str) -> Option<&Value> { v.get(key) }", false);
        let of_steps = "struct Plan { inputs: Value } impl Plan {
            fn step(&self, name: &str) -> Option<&Step> { self.steps.get(name) }
            fn before(&self, name: &str) -> Vec<&Step> { self.step(name).into_iter().collect() }
            fn gate(&self, name: &str) -> bool { self.step(name).is_some() }
        }";
        check(of_steps, false);
    }
}
