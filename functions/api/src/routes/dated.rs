//! Moments are RFC 3339 everywhere in the API.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A record of the directory, which keeps the seconds of a moment.
#[derive(Debug)]
pub(crate) struct Dated<T>(pub(super) T);

impl<T: JsonSchema> JsonSchema for Dated<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let moment = json_schema!({
            "description": "Tokens issued before this time are void.",
            "type": "string", "format": "date-time",
        });
        let fields = schema.ensure_object().get_mut("properties").and_then(Value::as_object_mut);
        if let Some(field) = fields.and_then(|fields| fields.get_mut("not_before")) {
            *field = moment.to_value();
        }
        schema
    }
}

impl<T: Serialize> Serialize for Dated<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut record = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        let seconds = record["not_before"].as_i64();
        if let Some(at) = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()) {
            record["not_before"] = at.to_string().into();
        }
        record.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Dated;

    fn check(record: &Value, expect: &Value) {
        assert_eq!(serde_json::to_value(Dated(record)).unwrap(), *expect);
    }

    #[test]
    fn moments_are_texts() {
        check(&json!({"not_before": 7}), &json!({"not_before": "1970-01-01T00:00:07Z"}));
        check(&json!({"username": "ada"}), &json!({"username": "ada"}));
        check(&json!({"not_before": null}), &json!({"not_before": null}));
    }
}
