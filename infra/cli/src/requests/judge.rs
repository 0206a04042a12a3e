//! Whether an answer is one that its operation documents.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::operation::Operation;
use crate::error::CliError;

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The content type as it was said.
    pub(super) kind: String,
    pub(super) body: Vec<u8>,
}

/// Knows every documented schema, by its text.
pub(super) struct Judge {
    schemas: HashMap<String, Validator>,
}

impl Judge {
    /// Reads the schemas of all answers.
    pub(super) fn of(document: &Value, operations: &[Operation]) -> Result<Self, CliError> {
        let mut schemas = HashMap::new();
        let answers = operations.iter().flat_map(|operation| operation.answers.values());
        for schema in answers.flat_map(|kinds| kinds.values()) {
            if let Entry::Vacant(place) = schemas.entry(schema.to_string()) {
                let whole = json!({"allOf": [schema], "components": document["components"]});
                // Formats too: a `date-time` is RFC 3339 in every answer.
                let options = jsonschema::draft202012::options().should_validate_formats(true);
                let validator = options.build(&whole).map_err(|error| {
                    CliError::Found(format!("a documented schema is not one: {error}"))
                })?;
                place.insert(validator);
            }
        }
        Ok(Self { schemas })
    }

    /// What is wrong with an answer, if anything is.
    pub(super) fn of_answer(&self, operation: &Operation, answer: &Answer) -> Result<(), String> {
        let status = answer.status;
        let shown = || String::from_utf8_lossy(&answer.body).chars().take(300).collect::<String>();
        if status >= 500 {
            return Err(format!("status {status}: {}", shown()));
        }
        let Some(kinds) = operation.answers.get(&status.to_string()) else {
            return Err(format!("status {status} is not documented: {}", shown()));
        };
        if kinds.is_empty() {
            let is_empty = answer.body.is_empty();
            return if is_empty { Ok(()) } else { Err(format!("status {status} has a body")) };
        }
        let essence = answer.kind.split(';').next().unwrap_or_default().trim();
        let Some(schema) = kinds.get(essence) else {
            return Err(format!("status {status} as `{essence}` is not documented: {}", shown()));
        };
        if essence.starts_with("text/") {
            return Ok(());
        }
        let body: Value = serde_json::from_slice(&answer.body)
            .map_err(|error| format!("status {status} is not JSON ({error}): {}", shown()))?;
        let validator = self.schemas.get(&schema.to_string());
        let validator = validator.ok_or_else(|| "the schema is not known".to_owned())?;
        if let Some(error) = validator.iter_errors(&body).next() {
            let place = error.instance_path().to_string();
            return Err(format!("status {status} is not as documented at `{place}`: {error}"));
        }
        if essence == "application/problem+json" { problem(status, &body) } else { Ok(()) }
    }
}

/// A problem says the status it came with, and its type is the page of its code.
fn problem(status: u16, body: &Value) -> Result<(), String> {
    let code = body["code"].as_str().unwrap_or_default();
    let names = !code.is_empty() && body["type"] == format!("/errors/{code}");
    if names && body["status"] == status && body["instance"].is_string() {
        return Ok(());
    }
    Err(format!("the problem document contradicts itself: {body}"))
}

#[cfg(test)]
mod tests {
    use super::{Answer, Judge};
    use crate::requests::operation;
    use serde_json::json;

    #[track_caller]
    fn check(status: u16, kind: &str, body: &str, expect: Option<&str>) {
        let problem = json!({"schema": {"$ref": "#/components/schemas/Problem"}});
        let document = json!({
            "paths": {"/a": {"get": {"responses": {
                "200": {"content": {"application/json": {"schema": {"type": "object", "required": ["a"], "properties": {"at": {"type": "string", "format": "date-time"}}}}}},
                "204": {"description": "done"},
                "404": {"content": {"application/problem+json": problem}},
                "500": {"content": {"application/problem+json": problem}},
            }}}},
            "components": {"schemas": {"Problem": {"type": "object", "required": ["code"]}}},
        });
        let operations = operation::all(&document);
        let judge = Judge::of(&document, &operations).unwrap();
        let answer = Answer { status, kind: kind.to_owned(), body: body.as_bytes().to_vec() };
        let said = judge.of_answer(&operations[0], &answer).err().unwrap_or_default();
        match expect {
            None => assert_eq!(said, ""),
            Some(part) => assert!(said.contains(part), "{said}"),
        }
    }

    #[test]
    fn every_way_of_being_wrong_is_found() {
        let json = "application/json; charset=utf-8";
        let gone = r#"{"type":"/errors/X","code":"X","status":404,"instance":"urn:request:1"}"#;
        check(200, json, r#"{"a":1}"#, None);
        check(204, "", "", None);
        check(404, "application/problem+json", gone, None);
        check(200, json, r#"{"b":1}"#, Some("not as documented"));
        check(200, json, r#"{"a":1,"at":"2026-11-24T09:00:00.5Z"}"#, None);
        check(200, json, r#"{"a":1,"at":"2026-11-24 09:00"}"#, Some("not as documented at `/at`"));
        check(200, json, "{", Some("not JSON"));
        check(200, "text/html", "<p>", Some("`text/html` is not documented"));
        check(204, "", "x", Some("has a body"));
        check(409, json, "{}", Some("status 409 is not documented"));
        check(500, "application/problem+json", gone, Some("status 500"));
        check(404, "application/problem+json", r#"{"code":"X"}"#, Some("contradicts"));
        check(404, "application/json", gone, Some("`application/json` is not documented"));
    }
}
