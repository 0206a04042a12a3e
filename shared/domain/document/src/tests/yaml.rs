//! What YAML has that a document has no use for, and what people write for something else.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{Document, Problem, Rules, read, read_value};

/// Two values of any shape.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Loose {
    /// A text, or a number.
    #[serde(default = "one")]
    value: TextOrNumber,
    /// Anything.
    #[serde(default)]
    a: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum TextOrNumber {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
}

fn one() -> TextOrNumber {
    TextOrNumber::Number(1)
}

impl Document for Loose {
    const KIND: &'static str = "loose";

    fn rules(&self, rules: &mut Rules<'_>) {
        rules.refuse_unquoted("reference", "/a", &|key| key == "known");
    }
}

fn told(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|one| format!("{} {}", one.path(), one.message)).collect()
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    assert_eq!(told(&read::<Loose>(text).problems), expect, "{text}");
}

#[test]
fn a_tab_is_reported_where_it_is() {
    let tab = |text: &str, place: &str| {
        check(text, &[&format!("yaml:{place} a tab is not allowed here: indent with spaces")]);
    };
    tab("a: b\n\tc: d\n", "2:1");
    tab("a: b\n\n  \tc: d\n", "3:3");
    tab("a:\n\t- b: c\n", "2:1");
    tab("a:\n  - b: c\n\t  d: e\n", "3:1");
    tab("a:\n  b: c\n  d:\n\t\te: f\n", "4:1");
    tab("a: b\nc:\n  - d: e\n\t- d: f\n", "4:1");
    tab("a:\n  b: one\n    two\n\tthree\n", "4:1");
}

#[test]
fn a_tag_that_means_nothing_is_refused() {
    check("a: !foo b\n", &["yaml:1:4 the tag `!foo` has no meaning here"]);
    check("a: !foo {b: c}\n", &["yaml:1:4 the tag `!foo` has no meaning here"]);
    check("!foo a: b\n", &["yaml:1:1 the tag `!foo` has no meaning here"]);
    check("a: !!str 5\n", &[]);
    check("a: '!foo b'\n", &[]);
}

#[test]
fn a_reference_without_quotes_is_no_mapping() {
    let said = |name: &str| format!("`{{{name}}}` without quotes is a mapping, not a reference");
    check("a: {x.y}\n", &[&format!("yaml:1:4 {}", said("x.y"))]);
    check("a: [{b: { x }}]\n", &[&format!("yaml:1:9 {}", said("x"))]);
    check("a: {x: null}\n", &[]);
    check("a:\n  known:\n", &[]);
    check("a: {x, y}\n", &[]);
    let sent = |value| told(&read_value::<Loose>(json!({ "a": value })).problems);
    assert_eq!(sent(json!([{ "known": null }])), [format!("a[0] {}", said("known"))]);
    assert_eq!(sent(json!({ "other": null })), [""; 0]);
}

#[test]
fn a_brace_where_a_text_or_a_number_may_stand_has_a_hint() {
    let hint = read::<Loose>("value: {name}\n").problems.remove(0).hint;
    assert_eq!(hint.as_deref(), Some("a brace begins a mapping: put it in quotes: \"{name}\""));
}
