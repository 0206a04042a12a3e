//! What is seen says exactly what is sent.

use proptest::prelude::*;
use serde_json::Value;

use super::samples::payment;
use super::{Content, EffectView, Field, SectionPart, ValueKind};
use crate::http::Body;

fn content(media: &str, text: &str) -> Content {
    Content::of_body(&Body { media: media.to_owned(), text: text.to_owned() })
}

fn names(content: &Content) -> Vec<&str> {
    match content {
        Content::Fields(fields) => fields.iter().map(|field| field.name.as_str()).collect(),
        Content::Text(_) => vec!["(text)"],
    }
}

#[test]
fn a_payment_is_read_from_its_target_down() {
    let view = EffectView::of(&payment());
    assert_eq!(
        (view.target.method.as_str(), view.target.host.as_str()),
        ("POST", "api.bank.example")
    );
    assert_eq!((view.target.port, view.target.path.as_str()), (None, "/v1/payments"));
    let parts: Vec<SectionPart> = view.sections.iter().map(|section| section.part).collect();
    assert_eq!(parts, [SectionPart::Body, SectionPart::Headers]);
    assert_eq!(names(&view.sections[0].content)[..2], ["amount", "currency"]);
    assert_eq!(view.fields(), 9);
    let text = serde_json::to_string(&view).unwrap();
    assert!(text.contains("Bearer, then the credential's token"), "{text}");
}

#[test]
fn fields_are_shown_only_when_they_give_the_same_text() {
    let json = |text| content("application/json; charset=utf-8", text);
    assert_eq!(
        names(&json(r#"{"a":{"b.c":[1,{"d":null}]},"e":[]}"#)),
        ["a[\"b.c\"][0]", "a[\"b.c\"][1].d", "e"]
    );
    for other in [r#"{"a": 1}"#, r#"{"a":1e3}"#, r#"{"a":10.00}"#, r#"{"a":1,"a":2}"#, "{", "3"] {
        assert_eq!(json(other), Content::Text(other.to_owned()));
    }
    let form = |text| content("application/x-www-form-urlencoded", text);
    assert_eq!(names(&form("a=1&b=x+y&a=2")), ["a", "b", "a"]);
    assert_eq!(names(&form("a=1&b")), ["(text)"]);
    assert_eq!(names(&content("text/plain", "a=1")), ["(text)"]);
}

#[test]
fn a_body_whose_names_would_fill_memory_is_shown_as_its_text() {
    let key = "k".repeat(100_000);
    let body = serde_json::json!({ key: vec![0; 5_000] }).to_string();
    assert_eq!(content("application/json", &body), Content::Text(body.clone()));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-z{}.\\[\\]\"é ]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-z.\\[\\]\"{} ]{0,6}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_shown_of_a_body_gives_the_body_again(value in value()) {
        let text = value.to_string();
        match content("application/json", &text) {
            Content::Fields(fields) => {
                let again = again(&fields).unwrap();
                prop_assert_eq!(again.to_string(), text);
            }
            Content::Text(shown) => prop_assert_eq!(shown, text),
        }
    }
}

/// The value that fields say.
fn again(fields: &[Field]) -> Option<Value> {
    let mut root = Value::Null;
    for field in fields {
        let leaf = match field.kind {
            ValueKind::Text => Value::from(field.value.as_str()),
            _ => serde_json::from_str(&field.value).ok()?,
        };
        put(&mut root, &field.name, leaf)?;
    }
    Some(root)
}

fn put(at: &mut Value, path: &str, leaf: Value) -> Option<()> {
    if path.is_empty() {
        *at = leaf;
        return Some(());
    }
    let (key, rest) = next_step(path)?;
    let below = match key {
        Value::Number(index) => {
            let index = usize::try_from(index.as_u64()?).ok()?;
            if !at.is_array() {
                *at = Value::Array(Vec::new());
            }
            let items = at.as_array_mut()?;
            if items.len() == index {
                items.push(Value::Null);
            }
            items.get_mut(index)?
        }
        Value::String(name) => {
            if !at.is_object() {
                *at = Value::Object(serde_json::Map::new());
            }
            at.as_object_mut()?.entry(name).or_insert(Value::Null)
        }
        _ => return None,
    };
    put(below, rest, leaf)
}

fn next_step(path: &str) -> Option<(Value, &str)> {
    if let Some(inside) = path.strip_prefix('[') {
        let mut values = serde_json::Deserializer::from_str(inside).into_iter::<Value>();
        let key = values.next()?.ok()?;
        let rest = inside.get(values.byte_offset()..)?.strip_prefix(']')?;
        return Some((key, rest));
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    Some((Value::from(&path[..end]), &path[end..]))
}
