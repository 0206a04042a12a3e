//! One kind of document that uses everything, and what is reported about broken ones.

mod mended;
mod yaml;

use std::collections::BTreeMap;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    AnyCase, DefaultTag, Document, List, Named, OneOrMany, Problem, Refused, Rules, Tagless, Whole,
    read, read_value, schema, table, text,
};

crate::text_type! {
    /// A short lower-case word.
    struct Word { format: "test-word", code: "word", sample: "a", pattern: "^[a-z]{1,8}$", check: word }
    /// An address.
    struct Address { format: "test-address", code: "address", sample: "https://a.example", check: address }
}

fn word(text: &str) -> Result<(), Refused> {
    let fits = (1..=8).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase());
    let shown: String = text.chars().take(20).collect();
    if fits { Ok(()) } else { Err(Refused::new(format!("`{shown}` is not a word"))) }
}

fn address(text: &str) -> Result<(), Refused> {
    let wrong = || Refused::of_key("must start with https://").hint(Some("use HTTPS".to_owned()));
    if text.starts_with("https://") { Ok(()) } else { Err(wrong()) }
}

/// A shop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(extend("x-code" = "unknown_type"))]
enum Shop {
    /// With doors.
    Street(Of<Door>),
    /// Without.
    Online(Of<Site>),
}

/// What every shop has.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Of<C> {
    /// Its name.
    name: Word,
    /// What it sells, by name.
    #[serde(default)]
    goods: Named<Word, Good>,
    /// Labels.
    #[serde(default)]
    #[expect(dead_code, reason = "only its form matters here")]
    labels: List<Word, 0, 3>,
    /// How it is reached.
    #[expect(dead_code, reason = "only its form matters here")]
    reached: C,
}

/// A door.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its form matters here")]
struct Door {
    /// The street's number.
    #[serde(default)]
    number: Whole<1, 99, 1>,
    /// Open or not.
    #[serde(default)]
    open: bool,
}

/// A site.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its form matters here")]
struct Site {
    /// Where.
    address: Address,
    /// How it is asked.
    #[serde(default)]
    method: AnyCase<Method>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Method {
    /// Reads.
    #[default]
    Get,
    /// Writes.
    Post,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its form matters here")]
struct Good {
    /// The price, or several.
    price: OneOrMany<Whole<0, 1000>>,
    /// The name of another.
    like: Option<Word>,
    /// Anything.
    more: Option<Value>,
    /// How it is packed.
    packed: Option<Tagless<Packed>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "in", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "only its form matters here")]
enum Packed {
    /// Paper.
    Paper {
        /// Its colour.
        colour: Option<Word>,
    },
    /// Glass.
    Glass {
        /// How much it holds.
        litres: Whole<1, 5>,
    },
}

impl DefaultTag for Packed {
    const TAG: &'static str = "in";
    const WORD: &'static str = "paper";
}

impl Document for Shop {
    const KIND: &'static str = "shop";
    const WRAPPED: bool = true;

    fn rules(&self, rules: &mut Rules<'_>) {
        let (name, goods) = match self {
            Self::Street(Of { name, goods, .. }) => (name, goods),
            Self::Online(Of { name, goods, .. }) => (name, goods),
        };
        rules.within("goods", |rules| {
            for (own, good) in goods.iter() {
                let known = good.like.as_ref().is_none_or(|like| goods.contains_key(like));
                if !known {
                    rules.error("like", &format!("/{own}/like"), "there is no such good");
                }
                if own == name {
                    rules.at_key("name", &format!("/{own}"), "a good is not a shop", None);
                }
            }
        });
    }
}

const STREET: &str = "\
type: street
name: corner
goods:
  tea: { price: 3, like: milk, more: { a: null } }
  milk: { price: [1, 2], packed: { in: glass, litres: 1 } }
  salt: { price: 1, packed: { colour: red } }
reached: { number: 7 }
";

fn found(text: &str) -> Vec<String> {
    let places = read::<Shop>(text).problems;
    let shown = |problem: &Problem| {
        let (line, column) = problem.place();
        format!("{line}:{column} {}: {}", problem.code, problem.message)
    };
    places.iter().map(shown).collect()
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    assert_eq!(found(text), expect, "{text}");
    assert_eq!(read::<Shop>(text).value.is_some(), expect.is_empty());
}

#[test]
fn a_valid_document_is_read_with_and_without_its_wrapper() {
    check(STREET, &[]);
    let indented: String = STREET.lines().map(|line| format!("  {line}\n")).collect();
    check(&format!("shop:\n{indented}"), &[]);
    let value = read::<Shop>(STREET).value.unwrap();
    let Shop::Street(street) = value else { panic!("a street") };
    assert_eq!(street.goods.len(), 3);
    assert_eq!(street.goods.values().next().unwrap().more, Some(json!({ "a": null })));
}

#[test]
fn every_problem_is_reported_at_once_with_its_position() {
    let text = STREET
        .replace("corner", "'Corner'")
        .replace("price: 3", "prize: 3")
        .replace("like: milk", "like: mlik")
        .replace("[1, 2]", "[1, 2000]")
        .replace("number: 7", "number: 100, open: 'no'");
    check(
        &text,
        &[
            "2:7 word: `Corner` is not a word",
            "4:8 missing: `tea` has no `price`",
            "4:10 unknown_key: `tea` has no key `prize`",
            "4:26 like: there is no such good",
            "5:22 type: entry 2 of `price` must be a whole number from 0 to 1000, found 2000",
            "7:20 type: `number` must be a whole number from 1 to 99, found 100",
            "7:31 type: `open` must be true or false, found a string",
        ],
    );
    let hints: Vec<_> =
        read::<Shop>(&text).problems.into_iter().filter_map(|one| one.hint).collect();
    assert_eq!(hints[..2], ["is `prize` meant to be `price`?", "did you mean `price`?"]);
}

#[test]
fn a_misspelt_tag_hides_nothing() {
    let text = STREET.replace("street", "steret").replace("number: 7", "numbr: 7");
    check(
        &text,
        &[
            "1:7 unknown_type: `type` must be one of `street`, `online`, found `steret`",
            "7:12 unknown_key: `reached` has no key `numbr`",
        ],
    );
    let text = STREET.replace("street", "moon").replace("corner", "CORNER");
    check(
        &text,
        &[
            "1:7 unknown_type: `type` must be one of `street`, `online`, found `moon`",
            "2:7 word: `CORNER` is not a word",
        ],
    );
    check(
        &STREET.replace("{ in: glass, litres: 1 }", "{ in: galss, litres: 9 }"),
        &[
            "5:40 choice: `in` must be one of `paper`, `glass`, found `galss`",
            "5:55 type: `litres` must be a whole number from 1 to 5, found 9",
        ],
    );
}

#[test]
fn words_in_any_case_and_keys_without_value_are_read() {
    let text = "type: online\nname: a\ngoods:\nreached: { address: 'https://x', method: post }\n";
    check(text, &[]);
    check(
        &text.replace("post", "put").replace("https", "http"),
        &[
            "4:21 address: `address` must start with https://",
            "4:41 choice: `method` must be one of `GET`, `POST`, found `put`",
        ],
    );
}

#[test]
fn collections_have_bounds_and_their_keys_a_form() {
    check(
        &STREET.replace("goods:", "labels: [a, b, c, d]\ngoods:"),
        &["3:19 length: `labels` must have at most 3 entries, found 4"],
    );
    check(&STREET.replace("salt:", "'Salt':"), &["6:3 word: `Salt` is not a word"]);
    check(
        &STREET.replace("salt:", "tea:"),
        &["6:3 duplicate: the key `tea` appears twice in this mapping"],
    );
    check(&STREET.replace("salt:", "corner:"), &["6:3 name: a good is not a shop"]);
}

#[test]
fn what_is_not_a_document_is_one_problem_in_plain_words() {
    check("", &["1:1 type: the shop must be a mapping, found nothing"]);
    check("- a", &["1:1 type: the shop must be a mapping, found a list"]);
    check("a: [x\n", &["1:4 yaml: a bracket or brace is not closed"]);
    check(
        "a: 1\n---\nb: 1\n",
        &["3:1 yaml: a second document begins here, and a file holds one shop"],
    );
    check("a: *b\n", &["1:4 yaml: this alias refers to an anchor that is not defined above it"]);
    let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
    assert!(found(&deep)[0].contains("32 levels, 20000 values, 64 aliases"), "{:?}", found(&deep));
}

#[test]
fn a_value_without_a_text_has_paths() {
    let value =
        json!({ "type": "street", "name": "a", "reached": { "number": 0 }, "labels": ["A"] });
    let paths: Vec<String> = read_value::<Shop>(value).problems.iter().map(Problem::path).collect();
    assert_eq!(paths, ["labels[0]", "reached.number"]);
}

#[test]
fn the_schema_has_a_name_and_no_remarks() {
    let schema = schema::<Shop>();
    assert_eq!(schema["$id"], "urn:countersign:schema:shop:1");
    assert!(!schema.to_string().contains("\"x-"), "{schema:#}");
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let tree = crate::Tree::parse(STREET, "shop", crate::Limits::DEFAULT).unwrap().value;
    assert!(validator.is_valid(&tree) && validator.is_valid(&json!({ "shop": tree })));
    assert_eq!(schema["$defs"]["shop"]["properties"]["name"]["description"], "Its name.");
}

#[test]
fn the_table_names_every_key() {
    let rows = table(&schema::<Shop>(), "/$defs/Good");
    assert!(rows.contains("| `price` | whole number, 0 to 1000 or list of whole number, 0 to 1000 | yes |  | The price, or several. |"), "{rows}");
    let rows = table(&schema::<Shop>(), "/$defs/shop");
    assert!(rows.contains("| `type` | `street`, `online` | yes |"), "{rows}");
}

#[test]
fn one_problem_has_one_form_for_people_and_one_for_machines() {
    let source = STREET.replace("salt:", "tea:");
    let problems = read::<Shop>(&source).problems;
    insta::assert_snapshot!(text("shop.yaml", &source, &problems, false));
    insta::assert_json_snapshot!(problems);
}

/// The words of a document and of YAML, put together at random.
fn noise() -> impl Strategy<Value = String> {
    let words = [
        "type", ": ", "street", "online", "name", "goods", "reached", "price", "like", "[", "]",
        "{", "}", ", ", "\n", "\n  ", "- ", "&a ", "*a", "<<: ", "'", "\"", "|\n", "7", "null",
        "true", "é", "#", "packed", "in", "glass", "x",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|all| all.concat())
}

fn is_inside(text: &str, problem: &Problem) -> bool {
    let (line, column) = problem.place();
    let lines: Vec<&str> = text.split('\n').collect();
    let row = lines.get(line as usize - 1);
    row.is_some_and(|row| column >= 1 && column as usize <= row.chars().count() + 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_reader_panic_and_every_problem_is_inside(
        text in prop_oneof![noise(), "[ -~é\t\n]{0,200}"],
    ) {
        let reading = read::<Shop>(&text);
        prop_assert!(reading.value.is_some() || !reading.problems.is_empty());
        for problem in &reading.problems {
            prop_assert!(is_inside(&text, problem), "{problem}\n{text}");
        }
    }

    #[test]
    fn a_changed_document_is_accepted_or_explained(
        at in 0..STREET.len(), cut in 0..12_usize, put in noise(),
    ) {
        let mut text = STREET.to_owned();
        text.replace_range(at..(at + cut).min(STREET.len()), &put);
        let reading = read::<Shop>(&text);
        prop_assert!(reading.value.is_some() || !reading.problems.is_empty());
        let places: BTreeMap<_, _> = reading.problems.iter().map(|one| (one.place(), one)).collect();
        for problem in places.values() {
            prop_assert!(is_inside(&text, problem), "{problem}\n{text}");
        }
    }

    /// The schema refuses nothing that is read.
    #[test]
    fn the_schema_refuses_nothing_that_is_read(
        at in prop::sample::select(vec!["/type", "/name", "/goods/tea/price", "/goods/tea/like", "/reached/number", "/goods/milk/packed/in", "/goods/milk/packed/litres", "/reached", "/goods"]),
        value in prop_oneof![
            Just(json!({})), Just(json!([])), Just(json!("a")), Just(json!("street")), Just(json!("glass")),
            Just(json!(0)), Just(json!(3)), Just(json!(5000)), Just(json!(true)), Just(json!([1])), Just(json!({ "number": 3 })),
        ],
    ) {
        let mut tree = crate::Tree::parse(STREET, "shop", crate::Limits::DEFAULT).unwrap().value;
        *tree.pointer_mut(at).unwrap() = value;
        let accepts = read_value::<Shop>(tree.clone()).value.is_some();
        let validator = jsonschema::draft202012::new(&schema::<Shop>()).unwrap();
        prop_assert!(validator.is_valid(&tree) || !accepts, "{tree:#}");
    }
}
