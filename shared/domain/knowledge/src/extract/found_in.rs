//! Which document a record was read from, and how an entity stands in it (F-256).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Extracted, texts};
use crate::cross::lookup;
use crate::fold::squeeze;
use crate::model::short;

/// Characters of text that are kept on each side of a name.
const AROUND: usize = 70;

/// The bytes of a field in which mentions are counted.
const MAX_COUNTED: usize = 200_000;

/// A place in a document: part of an item of `entities` on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundIn {
    /// The id of an uploaded file, or an address.
    pub reference: String,
    /// The file's name, or the article's title.
    pub title: String,
    /// What it is, such as `xml`, `pdf`, `article`.
    #[serde(default = "file")]
    pub doc_type: String,
    /// The page, the heading or the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The text around the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// How often the field names it.
    #[serde(default = "once")]
    pub count: usize,
}

fn file() -> String {
    "file".to_owned()
}

fn once() -> usize {
    1
}

/// The document that a record is of, and its texts: found once for all entities in it.
pub(super) struct Origin<'r> {
    record: &'r Value,
    document: Option<FoundIn>,
    query: Option<String>,
    retrieved_at: Option<Timestamp>,
    texts: BTreeMap<String, String>,
}

impl<'r> Origin<'r> {
    /// As the record says in the fields that `call_connector` adds.
    pub(super) fn of(record: &'r Value, fields: &Map<String, Value>) -> Self {
        let text = |key: &str| {
            fields.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        let document = article(text).or_else(|| named_file(text));
        let document = document.map(|document| FoundIn { section: section(fields), ..document });
        let reference = text("_source_ref");
        let is_file = reference.is_some_and(|reference| reference.starts_with("file_"));
        Self {
            record,
            document,
            query: reference.filter(|_| !is_file).map(short),
            retrieved_at: text("_retrieved_at").and_then(|time| time.parse().ok()),
            texts: BTreeMap::new(),
        }
    }

    /// Says of an entity where it was found.
    pub(super) fn note(&mut self, entity: &mut Extracted) {
        entity.source_query.clone_from(&self.query);
        entity.retrieved_at = self.retrieved_at;
        let Some(document) = &self.document else { return };
        let field = entity.source_field.clone();
        let record = self.record;
        let text = self.texts.entry(field).or_insert_with_key(|field| {
            let texts = lookup(record, field).map(texts).unwrap_or_default().join(" ");
            let end = texts.floor_char_boundary(MAX_COUNTED);
            squeeze(&texts[..end])
        });
        entity.document = Some(FoundIn {
            section: document.section.clone().or_else(|| Some(short(&entity.source_field))),
            quote: quote(text, &entity.name),
            count: text.matches(entity.name.as_str()).count().max(1),
            ..document.clone()
        });
    }
}

/// An item of a feed: the article that it is about, not the feed.
fn article<'t>(text: impl Fn(&str) -> Option<&'t str>) -> Option<FoundIn> {
    text("_item_id")?;
    let link = text("link")?;
    Some(document(link, text("title").unwrap_or(link), "article"))
}

fn named_file<'t>(text: impl Fn(&str) -> Option<&'t str>) -> Option<FoundIn> {
    if text("_item_id").is_some() {
        return None;
    }
    let name = text("_source_name")?;
    let extension = name.rsplit_once('.').map(|(_, end)| end.to_lowercase());
    let is_word = |end: &String| {
        (1..=8).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    let kind = extension.filter(is_word).unwrap_or_else(file);
    Some(document(text("_source_ref")?, name, &kind))
}

fn document(reference: &str, title: &str, doc_type: &str) -> FoundIn {
    FoundIn {
        reference: short(reference),
        title: short(title),
        doc_type: doc_type.to_owned(),
        section: None,
        quote: None,
        count: 1,
    }
}

/// What the record says of its place in the document.
fn section(fields: &Map<String, Value>) -> Option<String> {
    let heading = fields.get("heading").or_else(|| fields.get("section")).and_then(Value::as_str);
    let heading = heading.map(squeeze).filter(|text| !text.is_empty()).map(|text| short(&text));
    heading.or_else(|| Some(format!("page {}", fields.get("page")?.as_u64()?)))
}

/// A name with what is written around it; none when it stands alone.
fn quote(text: &str, name: &str) -> Option<String> {
    if text.len() < name.len() + 2 {
        return None;
    }
    let (before, after) = text.split_once(name)?;
    let left = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let right = after.char_indices().nth(AROUND).map_or(after.len(), |(at, _)| at);
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    let (open, end) = (mark(left > 0), mark(right < after.len()));
    Some(short(&format!("{open}{}{name}{}{end}", &before[left..], &after[..right])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::quote;
    use crate::extract::{Extracted, Request, Rule, extract};

    fn found(record: &Value, field: &str) -> Extracted {
        let rule =
            Rule { field: field.to_owned(), entity_type: "auto".into(), relationship_type: None };
        let request = Request { rules: vec![rule], ..Request::default() };
        let mut found = extract(std::slice::from_ref(record), &request).unwrap().entities;
        found.retain(|entity| entity.source_field == field);
        found.remove(0)
    }

    fn read(mut record: Value) -> Value {
        record["_source"] = json!("filings");
        record["_retrieved_at"] = json!("2026-11-21T10:00:00Z");
        record
    }

    #[test]
    fn f_256_an_entity_says_in_which_file_and_how_often_it_stands() {
        let file = "file_00112233445566778899aabbccddeeff";
        let text = "They paid Margaret Thornquist for it. Then Margaret Thornquist left.";
        let entity = found(
            &read(
                json!({"text": text, "page": 3, "_source_ref": file, "_source_name": "Minutes.PDF"}),
            ),
            "text",
        );
        let document = entity.document.unwrap();
        assert_eq!((document.reference.as_str(), document.doc_type.as_str()), (file, "pdf"));
        assert_eq!((document.count, document.section.as_deref()), (2, Some("page 3")));
        assert_eq!(document.quote.as_deref(), Some(text));
        assert_eq!(entity.source_query, None, "a file was asked for by its id");
        assert_eq!(entity.retrieved_at, Some("2026-11-21T10:00:00Z".parse().unwrap()));
    }

    #[test]
    fn f_256_an_article_is_a_document_and_the_answer_of_an_api_is_not() {
        let item = json!({"title": "Margaret Thornquist resigns", "link": "https://news.example/1", "_item_id": "1", "_source_ref": "https://news.example/feed", "_source_name": "News"});
        let entity = found(&read(item), "title");
        let document = entity.document.unwrap();
        assert_eq!(
            (document.reference.as_str(), document.doc_type.as_str()),
            ("https://news.example/1", "article")
        );
        assert_eq!(document.section.as_deref(), Some("title"));
        assert_eq!(entity.source_query.as_deref(), Some("https://news.example/feed"));
        let answer = json!({"title": "Margaret Thornquist", "_source_ref": "https://api.example/people", "_source_name": ""});
        let entity = found(&read(answer), "title");
        assert_eq!(entity.document, None);
        assert_eq!(entity.source_query.as_deref(), Some("https://api.example/people"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn f_256_a_quote_has_the_name_and_is_short(before in ".{0,200}", after in ".{0,200}") {
            let quote = quote(&format!("{before} Ann Lee {after}"), "Ann Lee").unwrap();
            prop_assert!(quote.contains("Ann Lee") && quote.chars().count() <= 160, "{}", quote);
        }
    }
}
