//! Whatever is done to a connector, the schema refuses nothing that the parser takes; and both know the same keys.

use std::collections::BTreeSet;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use super::{VALIDATOR, corpus, objections, project, tree};
use crate::parse::{parse, parse_template};

/// The places in a document, as pointers.
fn places(document: &Value) -> Vec<String> {
    fn walk(place: &str, value: &Value, all: &mut Vec<String>) {
        all.push(place.to_owned());
        let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
        match value {
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| {
                    walk(&format!("{place}/{}", escaped(key)), value, all);
                });
            }
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(n, item)| walk(&format!("{place}/{n}"), item, all));
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    walk("", document, &mut all);
    all
}

fn map_at<'d>(document: &'d mut Value, place: &str) -> Option<&'d mut Map<String, Value>> {
    document.pointer_mut(place).and_then(Value::as_object_mut)
}

/// Every word that the parser's source holds between quotes, its keys among them.
fn words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for file in std::fs::read_dir(project("shared/domain/connector/src/parse")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let text = std::fs::read_to_string(path).unwrap();
            let quoted = text.split('"').filter(|part| {
                (2..=40).contains(&part.len())
                    && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            });
            words.extend(quoted.map(str::to_owned));
        }
    }
    words
}

/// The keys that the parser does not know at a place, of those it was given with nothing behind them.
fn unknown(document: &Value) -> BTreeSet<String> {
    let named = |message: &str| {
        message.split_once(" has no key `").map(|(_, rest)| rest.trim_end_matches('`').to_owned())
    };
    let problems = parse(&document.to_string()).diagnostics;
    problems
        .iter()
        .filter(|problem| problem.rule == "unknown_key")
        .filter_map(|problem| named(&problem.message))
        .collect()
}

/// The corpus with one endpoint in each connector, so that looking at every place in turn stays quick.
fn documents() -> Vec<Value> {
    let mut all = Vec::new();
    for document in corpus::ALL.map(tree) {
        for (name, endpoint) in document["endpoints"].as_object().unwrap() {
            let mut one = document.clone();
            one["endpoints"] = json!({ name: endpoint });
            all.push(one);
        }
    }
    all
}

/// Every key the schema knows anywhere.
fn keys(schema: &Value, all: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            let own = map.get("properties").and_then(Value::as_object);
            all.extend(own.into_iter().flat_map(|keys| keys.keys().cloned()));
            map.values().for_each(|value| keys(value, all));
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, all)),
        _ => {}
    }
}

/// A null stands for a key that is left out, so that a known key with a null is taken and an unknown one is not.
#[test]
fn f_107_parser_and_schema_know_the_same_keys_everywhere() {
    let words = words();
    assert!(words.contains("page_info_path") && words.contains("timeout_seconds"));
    let mut known_to_schema = BTreeSet::new();
    keys(&super::schema(), &mut known_to_schema);
    let mut seen = BTreeSet::new();
    for document in documents() {
        for place in places(&document) {
            let mut probed = document.clone();
            let Some(map) = map_at(&mut probed, &place) else { continue };
            let own: Vec<&String> = words.iter().filter(|word| !map.contains_key(*word)).collect();
            map.extend(own.iter().map(|word| ((*word).clone(), Value::Null)));
            let unknown = unknown(&probed);
            // Without any, the names are the author's own, such as headers.
            if unknown.is_empty() || !seen.insert((document["id"].to_string(), place.clone())) {
                continue;
            }
            for word in own {
                if unknown.contains(word) && !known_to_schema.contains(word) {
                    continue;
                }
                let mut one = document.clone();
                map_at(&mut one, &place).unwrap().insert(word.clone(), Value::Null);
                let objections = objections(&one);
                let agree = objections.is_empty() != unknown.contains(word);
                assert!(agree, "`{word}` at `{place}` of {document:#}{objections:#?}");
            }
        }
    }
    assert!(seen.len() > 60, "{}", seen.len());
}

/// A word that the parser takes and the schema does not would be a choice that was added to one of them only.
#[test]
fn f_107_no_choice_of_the_parser_is_missing() {
    let words = words();
    let mut seen = BTreeSet::new();
    for document in documents() {
        for place in places(&document) {
            let put = |word: &str| {
                let mut changed = document.clone();
                *changed.pointer_mut(&place).unwrap() = word.into();
                changed
            };
            let is_text = document.pointer(&place).is_some_and(Value::is_string);
            let chosen = |objection: &String| {
                objection.starts_with(&place) && objection.contains("is not one of")
            };
            if !is_text
                || !objections(&put("no such word")).iter().any(chosen)
                || !seen.insert((document["id"].to_string(), place.clone()))
            {
                continue;
            }
            for changed in words.iter().map(|word| put(word)) {
                if !VALIDATOR.is_valid(&changed) {
                    let parsed = parse_template(&changed.to_string());
                    assert!(parsed.definition.is_none(), "`{place}` of {changed:#}");
                }
            }
        }
    }
    assert!(seen.len() > 25, "{}", seen.len());
}

#[derive(Debug, Clone)]
enum Change {
    Remove,
    Rename(String),
    Replace(Value),
    Add(String, Value),
}

fn value() -> impl Strategy<Value = Value> {
    let words: Vec<String> = words().into_iter().collect();
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![-2_i64..3, any::<i64>()].prop_map(Value::from),
        (-10.0..10.0_f64).prop_map(Value::from),
        "[ -~é\t\n]{0,12}".prop_map(Value::from),
        select(words).prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!(["a", 1])),
        Just(json!({ "type": "none" })),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let words: Vec<String> = words().into_iter().collect();
    let key = prop_oneof![select(words), "[a-zA-Z_]{1,8}"];
    prop_oneof![
        Just(Change::Remove),
        key.clone().prop_map(Change::Rename),
        value().prop_map(Change::Replace),
        (key, value()).prop_map(|(key, value)| Change::Add(key, value)),
    ]
}

fn apply(document: &mut Value, place: &str, change: Change) {
    let (parent, key) = place.rsplit_once('/').unwrap_or(("", ""));
    match change {
        Change::Replace(value) => *document.pointer_mut(place).unwrap() = value,
        Change::Add(key, value) => {
            if let Some(map) = map_at(document, place) {
                map.insert(key, value);
            }
        }
        Change::Remove => {
            map_at(document, parent).and_then(|map| map.shift_remove(key));
        }
        Change::Rename(to) => {
            if let Some(map) = map_at(document, parent)
                && let Some(value) = map.shift_remove(key)
            {
                map.insert(to, value);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn f_107_the_schema_refuses_nothing_that_the_parser_takes(
        text in select(corpus::ALL.to_vec()),
        changes in proptest::collection::vec((any::<Index>(), change()), 1..3),
    ) {
        let mut document = tree(text);
        for (place, change) in changes {
            let places = places(&document);
            let place: &String = place.get(&places);
            apply(&mut document, place, change);
        }
        if !VALIDATOR.is_valid(&document) {
            let parsed = parse_template(&document.to_string());
            proptest::prop_assert!(parsed.definition.is_none(), "{document:#} {:#?}", objections(&document));
        }
    }
}
