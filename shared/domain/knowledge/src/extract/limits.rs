//! How large a name may be, and what comes with it. What is larger is left out, and why is said.

use super::Extracted;
use crate::model::{MAX_NAME, short};

/// The most characters of a kind, or of the scheme of an identifier.
pub const MAX_WORD: usize = 64;

/// The most identifiers of one mention.
pub const MAX_IDS: usize = 20;

/// The most names of company of one mention.
pub const MAX_COMPANY: usize = 50;

impl Extracted {
    /// Why it is not resolved, where it is too large: the first field that is.
    #[must_use]
    pub fn too_large(&self) -> Option<String> {
        self.long_text().or_else(|| self.long_list())
    }

    fn long_text(&self) -> Option<String> {
        let end = self.related_to.as_ref();
        let texts = [
            ("name", Some(self.name.as_str()), MAX_NAME),
            ("type", Some(self.entity_type.as_str()), MAX_WORD),
            ("source_field", Some(self.source_field.as_str()), MAX_NAME),
            ("related_to.name", end.map(|end| end.name.as_str()), MAX_NAME),
            ("related_to.type", end.map(|end| end.entity_type.as_str()), MAX_WORD),
            ("place", self.place.as_deref(), MAX_NAME),
            ("source_connector", self.source_connector.as_deref(), MAX_NAME),
            ("source_endpoint", self.source_endpoint.as_deref(), MAX_NAME),
        ];
        texts.into_iter().find_map(|(field, text, most)| long(field, text?, most))
    }

    fn long_list(&self) -> Option<String> {
        let lists = [
            ("external_ids", self.external_ids.len(), MAX_IDS),
            ("context", self.context.len(), MAX_COMPANY),
        ];
        let long_list = lists.into_iter().find(|(_, count, most)| count > most);
        long_list
            .map(|(field, count, most)| too_much(field, count, "items", most))
            .or_else(|| self.external_ids.keys().find_map(|id| long("external_ids", id, MAX_WORD)))
            .or_else(|| self.context.iter().find_map(|name| long("context", name, MAX_NAME)))
    }
}

/// Why a name is not compared, where it is too long.
pub(crate) fn long_name(field: &str, name: &str) -> Option<String> {
    long(&short(field), name, MAX_NAME)
}

fn long(field: &str, text: &str, most: usize) -> Option<String> {
    let count = text.chars().count();
    (count > most).then(|| too_much(field, count, "characters", most))
}

fn too_much(field: &str, count: usize, of: &str, most: usize) -> String {
    format!("`{field}` has {count} {of}; at most {most} are read")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(field: &str, value: &Value, expect: Option<&str>) {
        let mut item = json!({ "name": "Ann Lee", "type": "PERSON" });
        item[field] = value.clone();
        let found: Extracted = serde_json::from_value(item).unwrap();
        assert_eq!(found.too_large().as_deref(), expect, "{field}");
    }

    #[test]
    fn f_047_what_is_too_large_is_named() {
        let long = |count: usize| json!("é".repeat(count));
        check("name", &long(300), None);
        check("name", &long(301), Some("`name` has 301 characters; at most 300 are read"));
        check("type", &long(2_048), Some("`type` has 2048 characters; at most 64 are read"));
        let end = json!({ "name": long(400), "type": "ORG" });
        let expect = "`related_to.name` has 400 characters; at most 300 are read";
        check("related_to", &end, Some(expect));
        let ids: serde_json::Map<String, Value> =
            (0..21).map(|n| (format!("s{n}"), json!("1"))).collect();
        let expect = "`external_ids` has 21 items; at most 20 are read";
        check("external_ids", &Value::Object(ids), Some(expect));
        let expect = "`external_ids` has 65 characters; at most 64 are read";
        check("external_ids", &json!({ "s".repeat(65): "1" }), Some(expect));
        let expect = "`context` has 301 characters; at most 300 are read";
        check("context", &json!([long(301)]), Some(expect));
    }
}
