//! What a call is given: entities, and what is left out of them because it is too large.

use countersign_failure::json_problem;
use countersign_knowledge::extract::{Extracted, Extraction};
use countersign_knowledge::{KnowledgeError, MAX_MENTIONS};
use countersign_registry::Warnings;
use countersign_registry::action::ActionError;
use serde::Deserialize as _;
use serde_json::{Value, json};

/// What is resolved, and what is not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// What is resolved.
    pub entities: Vec<Extracted>,
    /// What is too large, with its place: a sentence each.
    pub left_out: Vec<String>,
}

impl From<Extraction> for Given {
    fn from(Extraction { entities, left_out }: Extraction) -> Self {
        Self { entities, left_out }
    }
}

impl Given {
    /// What `extract_entities` gives, or records with `name` and `type` from anywhere, or plain names of persons.
    pub(crate) fn read(given: &Value) -> Result<Self, ActionError> {
        let items = match given {
            Value::Null => &[][..],
            Value::Array(items) => items.as_slice(),
            Value::Object(set) => set
                .get("entities")
                .or_else(|| set.get("results"))
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice),
            _ => {
                let message = "`entities` must be a list of entities";
                return Err(ActionError::terminal("BAD_INPUT", message));
            }
        };
        if items.len() > MAX_MENTIONS {
            let (what, count, limit) = ("entities", items.len(), MAX_MENTIONS);
            let error = KnowledgeError::TooMany { what, count, limit };
            return Err(ActionError::from_failure(&error));
        }
        let mut read = Self::default();
        for (index, item) in items.iter().enumerate() {
            let entity = entity(index, item)?;
            match entity.too_large() {
                Some(why) => read.left_out.push(format!("entities[{index}] is left out: {why}")),
                None => read.entities.push(entity),
            }
        }
        Ok(read)
    }

    /// Adds to the details of a write what is left out, where something is.
    pub fn note(&self, details: &mut Value) {
        if !self.left_out.is_empty() {
            let first = self.left_out.iter().take(Warnings::MAX);
            details["warnings"] = first.map(String::as_str).collect();
            details["too_large"] = self.left_out.len().into();
        }
    }

    /// Adds to the warnings of an answer what is left out, and counts them all.
    pub(crate) fn tell(self, answer: &mut Value) {
        let own = answer["warnings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let own = own.iter().filter_map(Value::as_str).map(str::to_owned);
        let all: Warnings = own.chain(self.left_out).collect();
        if let Value::Object(answer) = answer {
            all.write(answer);
        }
    }
}

fn entity(index: usize, item: &Value) -> Result<Extracted, ActionError> {
    let bad = |problem: String| {
        ActionError::terminal("BAD_RECORD", format!("entities[{index}]: {problem}"))
    };
    let read = match item {
        Value::String(name) => Extracted::deserialize(
            json!({ "name": name, "type": "PERSON", "source_record_index": index }),
        ),
        Value::Object(_) => Extracted::deserialize(item),
        _ => return Err(bad("an entity must be an object with `name` and `type`".to_owned())),
    };
    let entity = read.map_err(|error| bad(json_problem(&error.to_string())))?;
    if entity.name.trim().is_empty() {
        return Err(bad("`name` is empty".to_owned()));
    }
    Ok(entity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_048_what_is_too_large_is_left_out_and_told() {
        let items = json!([
            "Ann Lee",
            { "name": "B".repeat(301), "type": "PERSON" },
            { "name": "Owl", "type": "K".repeat(3_000) },
        ]);
        let given = Given::read(&items).unwrap();
        assert_eq!(given.entities.len(), 1);
        let mut details = json!({});
        given.note(&mut details);
        assert_eq!(details["too_large"], 2);
        let mut answer = json!({ "warnings": ["1 name is not resolved yet"] });
        given.tell(&mut answer);
        let expect = json!([
            "1 name is not resolved yet",
            "entities[1] is left out: `name` has 301 characters; at most 300 are read",
            "entities[2] is left out: `type` has 3000 characters; at most 64 are read",
        ]);
        assert_eq!((&answer["warnings"], &answer["warning_count"]), (&expect, &json!(3)));
    }

    #[test]
    fn f_048_an_item_that_is_no_entity_is_named_by_its_place() {
        for (items, code) in [
            (json!([{ "type": "PERSON" }]), "BAD_RECORD"),
            (json!([7]), "BAD_RECORD"),
            (json!(["a", " "]), "BAD_RECORD"),
            (json!("x"), "BAD_INPUT"),
        ] {
            assert_eq!(Given::read(&items).unwrap_err().code, code, "{items}");
        }
    }
}
