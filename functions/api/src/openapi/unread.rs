//! Completes the list of errors of a body that could not be read: validates it against the schema of its operation, which also
//! finds what is missing.

use axum::response::{IntoResponse as _, Response};
use countersign_document::{Problem as Found, words};
use countersign_web::{FieldError, Problem};
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};
use utoipa::openapi::path::Operation;
use utoipa::openapi::{RefOr, Schema};

/// The most errors that are added; a problem lists no more.
const MAX_ERRORS: usize = 100;
/// The most characters of an unknown key.
const MAX_KEY: usize = 60;

/// The schemas that an operation refers to, by name.
pub(super) type Schemas = Vec<(String, RefOr<Schema>)>;

/// The answer with everything that is wrong with the body, where it was the body that could not be read.
pub(super) fn completed<'v>(
    response: Response,
    validator: impl FnOnce() -> Option<&'v Validator>,
) -> Response {
    let problem = response.extensions().get::<Problem>();
    let Some((problem, body)) = problem.and_then(|of| Some((of, of.unread.as_ref()?))) else {
        return response;
    };
    let body: Option<Value> = serde_json::from_slice(body).ok();
    let both = body.zip(validator());
    let others = both.map(|(body, validator)| others(validator, &body, &problem.errors));
    let Some(others) = others.filter(|others| !others.is_empty()) else { return response };
    Problem::invalid(problem.errors.iter().cloned().chain(others).collect()).into_response()
}

/// What validates the body of an operation; `None` for one that takes no JSON.
pub(super) fn validator(operation: &Operation, schemas: &Schemas) -> Option<Validator> {
    jsonschema::validator_for(&schema(operation, schemas)?).ok()
}

/// The schema of the body of an operation, with the schemas it refers to.
fn schema(operation: &Operation, schemas: &Schemas) -> Option<Value> {
    let RefOr::T(body) = operation.request_body.as_ref()? else { return None };
    let RefOr::T(content) = body.content.get("application/json")? else { return None };
    let mut schema = serde_json::to_value(content.schema.as_ref()?).ok()?;
    for (name, one) in schemas {
        schema["components"]["schemas"][name] = json!(one);
    }
    Some(schema)
}

/// The errors of the schema that are not listed yet.
fn others(validator: &Validator, body: &Value, told: &[FieldError]) -> Vec<FieldError> {
    let found = validator.iter_errors(body).flat_map(|error| explained(&error)).take(MAX_ERRORS);
    let is_told = |error: &FieldError| told.iter().any(|one| touches(&one.path, &error.path));
    found.filter(|error| !is_told(error)).collect()
}

/// Whether two paths are one, or one is in the other.
fn touches(one: &str, other: &str) -> bool {
    let is_in = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
    };
    is_in(one, other) || is_in(other, one)
}

/// An error of the schema, in the words of a problem.
fn explained(error: &ValidationError<'_>) -> Vec<FieldError> {
    let here = |message: String| vec![FieldError::new(path(error, None), message)];
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .map(|key| FieldError::new(path(error, Some(key)), "is not known here"))
            .collect(),
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            vec![FieldError::new(path(error, Some(key)), "is missing")]
        }
        Kind::Type { kind } => {
            let told = words::must_be("", &words::types(kind), error.instance()).message;
            here(told.trim_start().replace("a mapping", "an object"))
        }
        Kind::Enum { options } => {
            let known = options.as_array().into_iter().flatten().filter_map(Value::as_str);
            let known = words::choice("", &known.collect::<Vec<_>>(), options, error.instance());
            here(known.message.trim_start().to_owned())
        }
        Kind::Minimum { limit } => here(format!("must be at least {limit}")),
        Kind::Maximum { limit } => here(format!("must be at most {limit}")),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let is_of_kind = |form: &&Vec<ValidationError<'_>>| {
                !form.iter().any(|one| {
                    matches!(one.kind(), Kind::Type { .. })
                        && one.instance_path() == error.instance_path()
                })
            };
            let mut meant = context.iter().filter(is_of_kind);
            match (meant.next(), meant.next()) {
                (Some(form), None) => form.iter().flat_map(explained).collect(),
                _ => here("does not have one of the forms that are known here".to_owned()),
            }
        }
        // Reading says more of these.
        _ => Vec::new(),
    }
}

/// The path of a value, or of a key in it, as in `steps[2].name`.
fn path(error: &ValidationError<'_>, key: Option<&str>) -> String {
    let pointer = error.instance_path().as_str();
    let key = key.map_or_else(String::new, |key| {
        let key: String = key.chars().take(MAX_KEY).collect();
        format!("/{}", key.replace('~', "~0").replace('/', "~1"))
    });
    Found::error("", format!("{pointer}{key}"), "").path()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &Value, told: &str, expect: &[&str]) {
        let schema = json!({
            "$ref": "#/components/schemas/Person",
            "components": {"schemas": {
                "Person": {
                    "type": "object", "required": ["name", "role"], "additionalProperties": false,
                    "properties": {
                        "name": {"type": "string"},
                        "role": {"type": "string", "enum": ["reader", "analyst"]},
                        "age": {"type": ["integer", "null"], "minimum": 0},
                        "home": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Home"}]},
                    },
                },
                "Home": {"type": "object", "properties": {"town": {"type": "string"}, "rooms": {"type": "integer"}}},
            }},
        });
        let told = [FieldError::new(told, "told")];
        let validator = jsonschema::validator_for(&schema).unwrap();
        let others = others(&validator, body, &told);
        let others: Vec<String> =
            others.iter().map(|one| format!("{}: {}", one.path, one.message)).collect();
        assert_eq!(others, expect, "{body}");
    }

    #[test]
    fn what_reading_did_not_come_to_is_told_too() {
        let home = json!({"town": 1, "rooms": "x"});
        check(
            &json!({"name": 1, "role": "king", "age": -1, "home": home, "nom": 1}),
            "name",
            &[
                "role: must be one of `reader`, `analyst`, found `king`",
                "age: must be at least 0",
                "home.town: must be a string, found 1",
                "home.rooms: must be a whole number, found a string",
                "nom: is not known here",
            ],
        );
        check(
            &json!({"home": home}),
            "home.town",
            &[
                "name: is missing",
                "role: is missing",
                "home.rooms: must be a whole number, found a string",
            ],
        );
        check(&json!([]), "", &[]);
        check(&json!({"name": {"a": 1}}), "name.a", &["role: is missing"]);
    }
}
