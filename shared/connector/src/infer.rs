//! The schema of a sample (F-092): what the records of an answer look like.

use countersign_registry::{DataType, Field};
use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::model::{OutputSchema, OutputShape};

/// Records looked at.
const SAMPLED: usize = 500;
/// Fields told.
const MOST_FIELDS: usize = 200;

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
    types.into_iter().take(MOST_FIELDS).map(field).collect()
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
        Value::Null => DataType::Any,
        Value::Bool(_) => DataType::Boolean,
        Value::Number(number) if number.is_f64() => DataType::Number,
        Value::Number(_) => DataType::Integer,
        Value::String(text) if is_date(text) => DataType::Date,
        Value::String(_) => DataType::String,
        Value::Object(_) => DataType::Object,
        Value::Array(items) => {
            let mut item = None;
            items.iter().take(SAMPLED).for_each(|value| merge(&mut item, value));
            // A list of lists has no written form of its own.
            DataType::array(match item {
                None | Some(DataType::Array(_)) => DataType::Any,
                Some(item) => item,
            })
        }
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
        let field = |field: &Field| {
            let mut written = json!({ "name": field.name, "type": field.data_type.to_string() });
            if !field.description.is_empty() {
                written["description"] = field.description.as_str().into();
            }
            written
        };
        json!({ "type": self.shape, "fields": self.fields.iter().map(field).collect::<Vec<_>>() })
    }
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
                        prop_assert_eq!(crate::mapping::fit(&mut record, &schema.fields), Vec::<String>::new());
                    }
                }
            }
        }
    }
}
