//! Documents that are broken, and read as far as they go.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{Document, Limits, List, Problem, Tree, Whole, mended, read};

/// A journey.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Journey {
    /// Its parts.
    legs: List<Leg, 0, 4>,
}

/// A part of a journey.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its form matters here")]
#[serde(tag = "by", rename_all = "snake_case")]
enum Leg {
    /// By rail.
    Train(Train),
    /// On foot.
    Walk(Walk),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its form matters here")]
struct Train {
    /// Where to.
    to: String,
    /// The class.
    #[serde(default)]
    class: Whole<1, 2, 2>,
    /// Where one sits.
    #[schemars(extend("x-hint" = "leave it out to sit anywhere"))]
    seat: Option<Seat>,
    /// What it costs.
    #[schemars(extend("x-missing-code" = "no_price", "x-hint" = "say what it costs"))]
    price: Whole<0, 1_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Seat {
    Window,
    Aisle,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-elsewhere" = json!({
    "ticket": { "code": "odd", "message": "nobody pays for a walk", "hint": "leave it out" },
})))]
#[expect(dead_code, reason = "only its form matters here")]
struct Walk {
    /// Where to.
    to: String,
    /// With what on.
    shoes: Option<String>,
}

impl Document for Journey {
    const KIND: &'static str = "journey";
    const OUT_OF_RANGE: &'static str = "range";
}

#[track_caller]
fn check(legs: &str, expect: &[&str]) {
    let problems = read::<Journey>(&format!("legs: [{legs}]")).problems;
    let shown = |problem: &Problem| {
        let hint = problem.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
        format!("{} {}: {}{hint}", problem.place().1, problem.code, problem.message)
    };
    assert_eq!(problems.iter().map(shown).collect::<Vec<_>>(), expect, "{legs}");
}

#[test]
fn a_tag_that_is_missing_or_wrong_is_taken_from_the_keys_beside_it() {
    let words = "`by` must be one of `train`, `walk`";
    check(
        "{by: foot, to: a, shoes: 7}",
        &[
            &format!("13 choice: {words}, found `foot`"),
            "33 type: `shoes` must be a string, found 7 | put it in quotes: \"7\"",
        ],
    );
    check(
        "{to: a, price: -1}",
        &[
            "8 missing: entry 1 of `legs` has no `by`",
            "23 range: `price` must be a whole number from 0 to 1000, found -1 | say what it costs",
        ],
    );
    // The keys say nothing.
    check("{to: a}", &["8 missing: entry 1 of `legs` has no `by`"]);
}

#[test]
fn a_key_of_another_mapping_is_told_where_it_belongs() {
    check(
        "{by: walk, to: a, price: 3}",
        &["26 unknown_key: entry 1 of `legs` has no key `price` | `price` belongs to `by: train`"],
    );
    check("{by: walk, to: a, ticket: 3}", &["26 odd: nobody pays for a walk | leave it out"]);
}

#[test]
fn a_schema_has_words_for_what_is_missing_or_wrong() {
    check(
        "{by: train, to: a, seat: floor}",
        &[
            "8 no_price: entry 1 of `legs` has no `price` | say what it costs",
            "33 choice: `seat` must be one of `window`, `aisle`, found `floor` | leave it out to sit anywhere",
        ],
    );
    check(
        "{by: train, to: {b}, price: 2.5}",
        &[
            "24 type: `to` must be a string, found a mapping | a brace begins a mapping: put it in quotes: \"{b}\"",
            "36 range: `price` must be a whole number from 0 to 1000, found 2.5 | say what it costs",
        ],
    );
    check("{by: train, to: a, price: 5.0, class: 1}", &[]);
}

#[test]
fn of_too_many_entries_the_first_are_read() {
    let text = "legs: [{by: walk, to: a}, {by: walk, to: b}, {by: walk, to: c}, {by: walk, to: d}, {by: walk, to: e}]";
    let tree = Tree::parse(text, "journey", Limits::DEFAULT).unwrap();
    let read = mended::<Journey>(&tree);
    assert_eq!(read.value.as_ref().map(|journey| journey.legs.len()), Some(4));
    assert!(!read.is_sound("/legs") && !read.is_sample("/legs"));
    assert_eq!(read.problems[0].message, "`legs` must have at most 4 entries, found 5");
    assert_eq!(read.problems[0].place(), (1, 84));
}

#[test]
fn what_is_a_sample_is_known() {
    let text = "legs: [{by: train, to: 7, price: 1}, {by: walk, to: b, shoes: 1}]";
    let tree = Tree::parse(text, "journey", Limits::DEFAULT).unwrap();
    let read = mended::<Journey>(&tree);
    assert!(read.value.is_some());
    assert!(
        read.is_sample("/legs/0/to") && !read.is_sample("/legs/0") && !read.is_sound("/legs/0")
    );
    // What may be left out is left out.
    assert!(!read.is_sample("/legs/1/shoes") && !read.is_sound("/legs/1/shoes"));
    assert!(read.is_sound("/legs/1/to"));
}

#[test]
fn parts_are_where_they_are_written() {
    let text = "a: {b: [1, 'é']}\nc: x\n";
    let tree = Tree::parse(text, "part", Limits::DEFAULT).unwrap();
    let list = tree.part("/a/b").unwrap();
    assert_eq!((&text[list.key_bytes()], list.items().count()), ("b", 2));
    let second = list.entry(1).unwrap();
    assert_eq!((tree.text_of(&second.bytes()), second.value()), ("'é'", &json!("é")));
    assert_eq!(tree.span_of(&second.bytes()).map(|span| (span.line, span.column)), Some((1, 12)));
    let keys: Vec<&str> = tree.root().entries().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "c"]);
    assert!(tree.part("/a/b/2").is_none() && tree.part("/c/d").is_none());
}
