//! The schema of a sample (F-092): what the records of an answer look like.

use countersign_registry::{DataType, Field};
use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::contract::envelope;
use crate::model::{Endpoint, MetadataField, Operation, OutputSchema, OutputShape};

/// Records looked at.
const SAMPLED: usize = 500;
/// Fields told.
const MAX_FIELDS: usize = 200;

/// The schema of a sample: of a list, of one object or of a single value. Fields whose name begins with `_` say where a
/// record came from and are left out, as are all but the first 200. Objects are told as `object`, without their fields.
#[must_use]
pub fn infer_schema(sample: &Value) -> OutputSchema {
    let (shape, fields) = match sample {
        Value::Array(items) => (OutputShape::RecordSet, fields(items)),
        Value::Object(_) => (OutputShape::Object, fields(std::slice::from_ref(sample))),
        single => (OutputShape::Scalar, vec![Field::new("value", data_type(single))]),
    };
    OutputSchema { shape, fields, inferred: true }
}

impl Endpoint {
    /// The schema of what a call of this endpoint gave, in the shape it declares: of its records, of its one record or of
    /// its value, without what stands around them. A field that is declared stays as it is declared: its values were read as that type.
    #[must_use]
    pub fn infer_output(&self, output: &Value) -> OutputSchema {
        if let Operation::Tool(rules) = &self.operation
            && rules.passthrough
        {
            return infer_schema(output.get("results").unwrap_or(output));
        }
        let mut inferred = self.infer_shape(output);
        for field in &mut inferred.fields {
            let declared = self.output.fields.iter().find(|known| known.name == field.name);
            if let Some(known) = declared.filter(|known| known.data_type != DataType::Any) {
                field.clone_from(known);
            }
        }
        inferred
    }

    fn infer_shape(&self, output: &Value) -> OutputSchema {
        match self.output.shape {
            OutputShape::RecordSet => OutputSchema {
                shape: OutputShape::RecordSet,
                ..infer_schema(output.get("results").unwrap_or(&Value::Array(Vec::new())))
            },
            OutputShape::Object => {
                let around = envelope(self);
                let mut record = output.as_object().cloned().unwrap_or_default();
                record.retain(|name, _| !around.iter().any(|slot| slot.name == *name));
                infer_schema(&Value::Object(record))
            }
            OutputShape::Scalar => {
                let value = output.get("value").unwrap_or(&Value::Null);
                let field = Field::new(self.scalar_field(), data_type(value));
                OutputSchema { shape: OutputShape::Scalar, fields: vec![field], inferred: true }
            }
        }
    }

    /// The `output_schema` to write for what a call gave: the inferred one with the metadata fields the endpoint declares.
    /// Nothing where the answer had no record, no field and no value to infer from.
    #[must_use]
    pub fn inferred_output(&self, output: &Value) -> Option<Value> {
        let schema = self.infer_output(output);
        if schema.fields.is_empty() {
            return None;
        }
        let mut written = schema.as_written();
        let metadata = self.operation.json_mapping().map(|json| json.metadata.as_slice());
        let declared: Vec<Value> =
            metadata.unwrap_or_default().iter().map(written_metadata).collect();
        if !declared.is_empty() {
            written["metadata_fields"] = declared.into();
        }
        Some(written)
    }

    /// The field that a scalar's value is read from: the first that is mapped.
    fn scalar_field(&self) -> &str {
        let mapped = self.operation.json_mapping().and_then(|json| json.fields.keys().next());
        let declared = self.output.fields.first().map(|field| &field.name);
        mapped.or(declared).map_or("value", String::as_str)
    }
}

fn fields(items: &[Value]) -> Vec<Field> {
    let mut types: IndexMap<&str, Option<DataType>> = IndexMap::new();
    for item in items.iter().take(SAMPLED) {
        let Value::Object(record) = item else {
            merge(types.entry("value").or_default(), item);
            continue;
        };
        for (name, value) in record.iter().filter(|(name, _)| !name.starts_with('_')) {
            merge(types.entry(name).or_default(), value);
        }
    }
    let field = |(name, data_type): (&str, Option<DataType>)| {
        Field::new(name, data_type.unwrap_or(DataType::Any))
    };
    types.into_iter().take(MAX_FIELDS).map(field).collect()
}

/// Null says nothing about a type.
fn merge(known: &mut Option<DataType>, value: &Value) {
    if !value.is_null() {
        let found = data_type(value);
        *known = Some(match known.take() {
            None => found,
            Some(known) => widest(known, found),
        });
    }
}

fn widest(a: DataType, b: DataType) -> DataType {
    match (a, b) {
        (a, b) if a == b => a,
        (DataType::Integer | DataType::Number, DataType::Integer | DataType::Number) => {
            DataType::Number
        }
        (DataType::Date | DataType::String, DataType::Date | DataType::String) => DataType::String,
        (DataType::Array(a), DataType::Array(b)) => DataType::array(match (*a, *b) {
            // An empty list says nothing about its items.
            (DataType::Any, item) | (item, DataType::Any) => item,
            (a, b) => widest(a, b),
        }),
        _ => DataType::Any,
    }
}

fn data_type(value: &Value) -> DataType {
    match value {
        Value::String(text) if is_date(text) => DataType::Date,
        Value::Array(items) => {
            let mut item = None;
            items.iter().take(SAMPLED).for_each(|value| merge(&mut item, value));
            // A list of lists has no written form of its own.
            DataType::array(match item {
                None | Some(DataType::Array(_)) => DataType::Any,
                Some(item) => item,
            })
        }
        other => DataType::of(other),
    }
}

fn is_date(text: &str) -> bool {
    let day = text.len() == 10 && text.contains('-') && text.parse::<Date>().is_ok();
    day || text.len() > 10 && text.parse::<Timestamp>().is_ok()
}

impl OutputSchema {
    /// The schema as `output_schema` is written in a connector.
    #[must_use]
    pub fn as_written(&self) -> Value {
        json!({ "type": self.shape, "fields": self.fields.iter().map(written).collect::<Vec<_>>() })
    }
}

fn written(field: &Field) -> Value {
    let mut written = json!({ "name": field.name, "type": field.data_type.to_string() });
    if !field.description.is_empty() {
        written["description"] = field.description.as_str().into();
    }
    written
}

fn written_metadata(metadata: &MetadataField) -> Value {
    let mut written = written(&metadata.field);
    written["path"] = metadata.path.to_string().into();
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
    use serde_json::{Value, json};

    use super::infer_schema;

    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(sample: Value, shape: &str, expect: &str) {
        let written = infer_schema(&sample).as_written();
        let fields: Vec<String> = written["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| {
                format!("{} {}", field["name"].as_str().unwrap(), field["type"].as_str().unwrap())
            })
            .collect();
        assert_eq!(
            (written["type"].as_str().unwrap(), fields.join(", ").as_str()),
            (shape, expect)
        );
    }

    #[test]
    fn f_092_a_sample_tells_its_schema() {
        let sample = json!([
            {"id": 1, "amount": 5, "day": "2024-01-02", "note": null, "tags": [], "who": {"a": 1}, "_source": "api"},
            {"id": 2, "amount": 5.5, "day": "2024-01-03T04:05:06Z", "tags": ["x"], "ok": true, "mixed": 1},
            {"id": 3, "mixed": "a", "day": null},
        ]);
        let expect = "id integer, amount number, day date, note any, tags string[], who object, ok boolean, mixed any";
        check(sample, "record_set", expect);
        check(json!({"name": "a", "when": "2024-01-02"}), "object", "name string, when date");
        check(json!(7), "scalar", "value integer");
        check(json!(["a", "2024-01-02"]), "record_set", "value string");
        check(json!([{"m": [[1]], "o": [{}]}]), "record_set", "m any[], o object[]");
        check(json!([]), "record_set", "");
    }

    /// What is inferred for an endpoint of a shape, and that it can be written into the connector in its place.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check_output(shape: &str, mapping: &str, output: Value, expect: &str) {
        let yaml = |schema: &str| {
            format!(
                "id: api\nname: API\ntype: rest_api\nversion: 1.0.0\nconnection: {{ base_url: 'https://a.example' }}\nendpoints:\n  a:\n    description: a\n    path: /a\n    pagination: {{ type: page }}\n{mapping}    output_schema: {schema}\n"
            )
        };
        let head = format!(
            "{{ type: {shape}, metadata_fields: [{{ name: total, type: integer, path: meta.total }}] }}"
        );
        let endpoint = crate::parse(&yaml(&head)).definition.unwrap().endpoints["a"].clone();
        let schema = endpoint.infer_output(&output);
        let fields: Vec<String> = schema
            .fields
            .iter()
            .map(|field| format!("{} {}", field.name, field.data_type))
            .collect();
        let written = schema.as_written();
        assert_eq!(
            (written["type"].as_str().unwrap(), fields.join(", ").as_str()),
            (shape, expect)
        );
        if let Some(written) = endpoint.inferred_output(&output) {
            let total = json!([{ "name": "total", "type": "integer", "path": "meta.total" }]);
            assert_eq!(written["metadata_fields"], total);
            let again = crate::parse(&yaml(&written.to_string()));
            let again = again.definition.unwrap().endpoints["a"].clone();
            assert_eq!(again.inferred_output(&output).unwrap(), written);
        } else {
            assert!(schema.fields.is_empty());
        }
        let again = crate::parse(&yaml(&written.to_string()));
        assert!(again.definition.is_some(), "{:?}", again.diagnostics);
    }

    #[test]
    fn f_092_an_answer_tells_the_schema_of_its_declared_shape() {
        let around = |mut output: Value| {
            let more = json!({
                "_has_more": false, "warnings": ["one"], "total": 7, "_next_cursor": null,
                "_stale": false, "_stale_age_seconds": 3,
            });
            output.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            output
        };
        let stamp = json!({
            "name": "Mill", "size": 3, "tags": ["a"], "_source": "api", "_entity_rules": [],
            "_retrieved_at": "2024-01-02T03:04:05Z",
        });
        let mapping = "    response_mapping: { fields: { name: a, size: b, tags: 'c[*]' } }\n";
        let fields = "name string, size integer, tags string[]";
        check_output("object", mapping, around(stamp.clone()), fields);
        check_output("object", "", around(stamp.clone()), fields);
        check_output("object", "", around(json!({})), "");
        let results = json!({ "results": [stamp], "count": 1, "has_more": false });
        check_output("record_set", mapping, around(results), fields);
        check_output("record_set", "", around(json!({})), "");
        check_output("scalar", "", around(json!({ "value": 3.5 })), "value number");
        check_output("scalar", "", around(json!({ "value": ["a"] })), "value string[]");
        let amount = "    response_mapping: { fields: { amount: a } }\n";
        check_output("scalar", amount, around(json!({ "value": { "a": 1 } })), "amount object");
        check_output("scalar", amount, around(json!({ "value": null })), "amount any");
    }

    #[test]
    fn f_092_a_declared_type_is_kept() {
        let yaml = "id: a\nname: A\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  a:\n    description: a\n    path: /a\n    output_schema:\n      type: record_set\n      fields:\n        - { name: amount, type: decimal, description: What was paid }\n        - { name: rate, type: number }\n        - { name: more, type: any }\n";
        let endpoint = crate::parse(yaml).definition.unwrap().endpoints["a"].clone();
        let output = json!({ "results": [{ "amount": "12.50", "rate": 5, "more": 1, "day": "2024-01-02" }] });
        let written = endpoint.inferred_output(&output).unwrap();
        let expect = json!([
            { "name": "amount", "type": "decimal", "description": "What was paid" },
            { "name": "rate", "type": "number" },
            { "name": "more", "type": "integer" },
            { "name": "day", "type": "date" },
        ]);
        assert_eq!(written["fields"], expect);
    }

    #[test]
    fn f_092_a_files_errors_and_warnings_are_no_fields() {
        let yaml = "id: a\nname: A\ntype: file_parser\nversion: 1.0.0\nconnection: { source: upload }\nendpoints:\n  a:\n    description: a\n    parser: json\n    output_schema: { type: object }\n";
        let endpoint = crate::parse(yaml).definition.unwrap().endpoints["a"].clone();
        let output = json!({
            "name": "Mill", "_source": "a", "files_read": 1, "files_failed": 0, "errors": [], "warnings": [{ "field": "x" }],
            "file_notes": [],
        });
        let written = endpoint.infer_output(&output).as_written();
        assert_eq!(
            written,
            json!({ "type": "object", "fields": [{ "name": "name", "type": "string" }] })
        );
    }

    fn sample() -> impl proptest::strategy::Strategy<Value = Value> {
        use proptest::prelude::{Just, Strategy as _, any, prop_oneof};
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z0-9-]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec(("[a-z]{1,4}", inner), 0..4)
                    .prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn f_092_what_is_inferred_can_be_written_and_fits_the_sample(sample in sample()) {
            let schema = infer_schema(&sample);
            let text = format!(
                "id: api\nname: API\ntype: rest_api\nversion: 1.0.0\nconnection: {{ base_url: 'https://a.example' }}\nendpoints:\n  a:\n    description: a\n    path: /a\n    output_schema: {}\n",
                schema.as_written()
            );
            let parsed = crate::parse(&text);
            prop_assert!(parsed.definition.is_some(), "{:?}\n{}", parsed.diagnostics, text);
            prop_assert_eq!(&parsed.definition.unwrap().endpoints["a"].output.fields, &schema.fields);
            if let Value::Array(items) = &sample {
                for item in items {
                    if let Value::Object(record) = item {
                        let mut record = record.clone();
                        prop_assert_eq!(crate::mapping::fit(&mut record, &schema.fields, &Default::default()), Vec::<String>::new());
                    }
                }
            }
        }
    }
}
