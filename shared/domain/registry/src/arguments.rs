//! The arguments of an action, or of a connector's endpoint, as one schema.

use serde_json::{Map, Value, json};

use crate::contract::Slot;
use crate::data_type::{DataType, Field};

/// JSON Schema, draft 2020-12, of the arguments of a tool as models are shown it.
#[must_use]
pub fn arguments_schema(inputs: &[Slot]) -> Value {
    let properties: Map<String, Value> =
        inputs.iter().map(|slot| (slot.name.clone(), argument(slot))).collect();
    // A default stands in for what is left out.
    let required: Vec<&str> = inputs
        .iter()
        .filter(|slot| slot.required && slot.default.is_none())
        .map(|slot| slot.name.as_str())
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn argument(slot: &Slot) -> Value {
    if let Some(schema) = &slot.schema {
        return schema.clone();
    }
    let mut schema = described(&slot.data_type, &slot.description);
    if !slot.choices.is_empty() {
        schema.insert("enum".to_owned(), json!(slot.choices));
    }
    if let Some(default) = &slot.default {
        schema.insert("default".to_owned(), default.clone());
    }
    schema.into()
}

fn described(data_type: &DataType, description: &str) -> Map<String, Value> {
    let mut schema = of_type(data_type);
    schema.extend(data_type.described(description).map(|text| ("description".to_owned(), text)));
    schema
}

fn of_type(data_type: &DataType) -> Map<String, Value> {
    let mut schema = Map::new();
    match data_type {
        DataType::Record(fields) => {
            let field = |Field { name, data_type, description }: &Field| {
                (name.clone(), Value::Object(described(data_type, description)))
            };
            schema.insert("properties".to_owned(), fields.iter().map(field).collect());
        }
        DataType::Array(item) => _ = schema.insert("items".to_owned(), of_type(item).into()),
        _ => {}
    }
    schema.extend(data_type.in_json_schema().map(|kind| ("type".to_owned(), kind.into())));
    schema
}

#[cfg(test)]
mod tests {
    use super::arguments_schema;
    use crate::Registry;

    #[test]
    fn f_037_the_schema_of_a_declared_action_says_what_its_types_say() {
        let registry = Registry::builtin();
        let transform = registry.get("transform_data").unwrap();
        let schema = arguments_schema(&transform.arguments());
        assert_eq!(schema["required"], serde_json::json!(["data"]));
        let operations = &schema["properties"]["operations"];
        assert_eq!(operations["maxItems"], 50);
        let kinds = operations["items"]["oneOf"].as_array().unwrap();
        let kinds: Vec<&str> =
            kinds.iter().filter_map(|kind| kind["properties"]["type"]["const"].as_str()).collect();
        assert_eq!(kinds, ["filter", "sort", "aggregate", "deduplicate", "limit"]);
    }
}
