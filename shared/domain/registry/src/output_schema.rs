//! What a model must answer (F-145): written in a playbook, sealed in its plan, shown to the model, checked of its answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::data_type::{DataType, Field};

/// What an `llm_task` must answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputSchema {
    /// `record_set | object | scalar`. A record set is wrapped as `{results, count}`, a scalar as `{value}`.
    #[serde(rename = "type")]
    pub shape: Shape,
    /// The fields of a record or object; of a scalar, one.
    pub fields: Vec<Field>,
}

/// The shape of a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Many records.
    RecordSet,
    /// One record.
    Object,
    /// One value.
    Scalar,
}

impl OutputSchema {
    /// The type of what the step gives back.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        match self.shape {
            Shape::Object => DataType::Record(self.fields.clone()),
            Shape::RecordSet => DataType::Record(vec![
                Field::new("results", DataType::records(self.fields.clone())),
                Field::new("count", DataType::Integer),
            ]),
            Shape::Scalar => DataType::Record(vec![self.value()]),
        }
    }

    /// The field `value` of a scalar: the declared one under that name.
    #[must_use]
    pub fn value(&self) -> Field {
        let value = Field::new("value", DataType::String);
        let declared = self.fields.first().cloned();
        declared.map_or(value.clone(), |field| Field { name: value.name, ..field })
    }

    /// JSON Schema of what a model answers, as providers are sent it: every field is there, and null where the data do not
    /// say; nothing else is there. Of a record set, its `results`.
    #[must_use]
    pub fn json_schema(&self) -> Value {
        match self.shape {
            Shape::Object => record(&self.fields),
            Shape::Scalar => record(&[self.value()]),
            Shape::RecordSet => {
                let results = json!({ "type": "array", "items": record(&self.fields) });
                closed(&Map::from_iter([("results".to_owned(), results)]))
            }
        }
    }

    /// Whether every part of the answer is declared, which providers ask for before they hold a model to a schema.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.fields.iter().all(|field| !matches!(field.data_type, DataType::Object | DataType::Any))
    }
}

fn record(fields: &[Field]) -> Value {
    closed(&fields.iter().map(|field| (field.name.clone(), of_field(field))).collect())
}

fn closed(properties: &Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn of_field(field: &Field) -> Value {
    let mut schema = of_type(&field.data_type);
    if let Some(text) = field.data_type.described(&field.description) {
        schema["description"] = text;
    }
    schema
}

/// The schema of a value of this type, or null.
fn of_type(data_type: &DataType) -> Value {
    match data_type {
        DataType::Record(fields) => record(fields),
        DataType::Array(item) => {
            let mut items = of_type(item);
            if let Some(kind) = items["type"].get(0).cloned() {
                items["type"] = kind;
            }
            json!({ "type": "array", "items": items })
        }
        plain => match plain.in_json_schema() {
            Some(kind) => json!({ "type": [kind, "null"] }),
            None => json!({}),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shape: Shape, fields: &[(&str, DataType)], expect: &Value) {
        let fields = fields.iter().map(|(name, of)| Field::new(name, of.clone())).collect();
        assert_eq!(OutputSchema { shape, fields }.json_schema(), *expect);
    }

    #[test]
    fn f_145_the_schema_that_a_model_is_sent_is_the_declared_one() {
        let text = json!({ "type": ["string", "null"] });
        let lists = json!({ "type": "array", "items": { "type": "string" } });
        let record = json!({
            "type": "object", "required": ["who", "why"], "additionalProperties": false,
            "properties": { "who": text, "why": lists },
        });
        let fields = [("who", DataType::String), ("why", DataType::array(DataType::String))];
        check(Shape::Object, &fields, &record);
        check(
            Shape::RecordSet,
            &fields,
            &json!({
                "type": "object", "required": ["results"], "additionalProperties": false,
                "properties": { "results": { "type": "array", "items": record } },
            }),
        );
        let number = json!({ "type": ["number", "null"] });
        check(
            Shape::Scalar,
            &[("score", DataType::Number)],
            &json!({
                "type": "object", "required": ["value"], "additionalProperties": false,
                "properties": { "value": number },
            }),
        );
    }

    #[test]
    fn f_145_an_object_without_fields_is_not_closed() {
        let of = |data_type| OutputSchema {
            shape: Shape::Object,
            fields: vec![Field::new("a", data_type)],
        };
        assert!(of(DataType::String).is_closed());
        assert!(!of(DataType::Object).is_closed());
    }
}
