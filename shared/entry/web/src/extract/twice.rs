//! Keys that an object of a body has twice: reading it would keep the last one, which nobody may have meant.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::problem::FieldError;

/// No more of them are named.
const MAX_NAMED: usize = 20;
/// The most characters of a key.
const MAX_KEY: usize = 60;

/// Every key that is given twice, with the path it stands at; none of what is not JSON.
pub(super) fn keys(json: &[u8]) -> Vec<FieldError> {
    let mut found = Vec::new();
    let walk = Walk { path: String::new(), found: &mut found };
    // What is not JSON is told by whoever reads it.
    let _ = walk.deserialize(&mut serde_json::Deserializer::from_slice(json));
    found
}

/// Walks through a value and keeps nothing of it.
struct Walk<'f> {
    path: String,
    found: &'f mut Vec<FieldError>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let shown: String = key.chars().take(MAX_KEY).collect();
            let path = if self.path.is_empty() { shown } else { format!("{}.{shown}", self.path) };
            if !seen.insert(key) && self.found.len() < MAX_NAMED {
                self.found.push(FieldError::new(path.as_str(), "is given twice"));
            }
            map.next_value_seed(Walk { path, found: self.found })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for n in 0.. {
            let path = format!("{}[{n}]", self.path);
            if items.next_element_seed(Walk { path, found: self.found })?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[track_caller]
    fn check(json: &str, expect: &[&str]) {
        let found = keys(json.as_bytes());
        let paths: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths, expect, "{json}");
    }

    #[test]
    fn every_key_that_is_given_twice_is_found() {
        check(r#"{"a": 1, "b": {"a": [true, null, 1.5, -1, "a"]}}"#, &[]);
        check(r#"{"handle": "a", "handle": "b"}"#, &["handle"]);
        check(r#"{"a": [{"b": 1}, {"b": 1, "c": 2, "b": 3}], "a": 1}"#, &["a[1].b", "a"]);
        check(r#"{"a": 1, "\u0061": 2}"#, &["a"]);
        check(r#"{"a": 1, "a": 2"#, &["a"]);
        check("x", &[]);
    }

    #[test]
    fn no_number_or_length_of_keys_makes_a_large_answer() {
        let key = format!("\"{}\": 1,", "x".repeat(500));
        let json = format!("{{{}\"y\": 1}}", key.repeat(500));
        let found = keys(json.as_bytes());
        assert_eq!(found.len(), 20);
        assert!(found.iter().all(|one| one.path.len() == 60));
    }
}
