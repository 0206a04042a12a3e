//! From a declared type to the slots of a contract.

use countersign_document::{inside_mut, without_null};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::contract::Slot;
use crate::data_type::{DataType, Field};

/// The slots of an action's inputs or params: the fields of `T`.
pub(crate) fn arguments<T: JsonSchema>() -> Vec<Slot> {
    slots(&schema_of::<T>(SchemaSettings::draft2020_12().for_deserialize()), false)
}

/// The slots of an action's outputs. What records in them hold is part of their type, so that steps can refer to it.
pub(crate) fn outputs<T: JsonSchema>() -> Vec<Slot> {
    slots(&schema_of::<T>(SchemaSettings::draft2020_12().for_serialize()), true)
}

fn schema_of<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    schema
}

fn slots(schema: &Value, is_output: bool) -> Vec<Slot> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.map(|(name, field)| slot(name, field, is_required(schema, name), is_output)).collect()
}

fn slot(name: &str, schema: &Value, required: bool, is_output: bool) -> Slot {
    let words = schema["enum"].as_array().into_iter().flatten();
    Slot {
        name: name.to_owned(),
        data_type: data_type(schema, is_output),
        required,
        default: schema.get("default").cloned(),
        choices: words.filter_map(Value::as_str).map(str::to_owned).collect(),
        schema: (!is_output).then(|| schema.clone()),
        description: schema["description"].as_str().unwrap_or_default().to_owned(),
    }
}

pub(crate) fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
}

/// The type of the values that a schema allows. With `records`, the fields of objects are part of it.
#[must_use]
pub fn data_type(schema: &Value, records: bool) -> DataType {
    match schema["type"].as_str() {
        Some("string") if schema["format"] == "date" => DataType::Date,
        Some("string") => DataType::String,
        Some("integer") => DataType::Integer,
        Some("number") => DataType::Number,
        Some("boolean") => DataType::Boolean,
        Some("array") => DataType::array(
            schema.get("items").map_or(DataType::Any, |item| data_type(item, records)),
        ),
        Some("object") if records && schema["properties"].is_object() => {
            DataType::Record(fields(schema))
        }
        Some("object") => DataType::Object,
        _ => match schema["oneOf"].as_array() {
            Some(branches) if branches.iter().all(|branch| branch["type"] == "object") => {
                DataType::Object
            }
            _ => DataType::Any,
        },
    }
}

fn fields(schema: &Value) -> Vec<Field> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let field = |(name, schema): (&String, &Value)| Field {
        name: name.clone(),
        data_type: data_type(schema, true),
        description: schema["description"].as_str().unwrap_or_default().to_owned(),
    };
    properties.map(field).collect()
}

/// Nothing means that a key is left out, so it is not an alternative of its own; words that are described one by one
/// become a list of words; titles and the widths of numbers say nothing to those who write.
fn simplify(schema: &mut Value) {
    inside_mut(schema).into_iter().for_each(simplify);
    let Value::Object(map) = schema else { return };
    plain_option(map);
    as_words(map);
    if map.get("title").is_some_and(Value::is_string) {
        map.shift_remove("title");
    }
    let width = map.get("format").and_then(Value::as_str);
    let is_width = |width: &str| {
        ["uint", "int", "double", "float"].iter().any(|known| width.starts_with(known))
    };
    if width.is_some_and(is_width) {
        map.shift_remove("format");
    }
    if let Some(Value::String(text)) = map.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

fn plain_option(map: &mut Map<String, Value>) {
    without_null(map);
    if map.get("default").is_some_and(Value::is_null) {
        map.shift_remove("default");
    }
    let Some(Value::Array(branches)) = map.get_mut("anyOf") else { return };
    branches.retain(|branch| branch["type"] != "null");
    if let [Value::Object(only)] = branches.as_slice() {
        let only = only.clone();
        map.shift_remove("anyOf");
        only.into_iter().for_each(|(key, value)| {
            map.entry(key).or_insert(value);
        });
    }
}

fn as_words(map: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = map.get("oneOf") else { return };
    let mut words = Vec::new();
    for branch in branches {
        match (branch.get("const"), branch.get("enum")) {
            (Some(word @ Value::String(_)), _) => words.push(word.clone()),
            (_, Some(Value::Array(more))) => words.extend(more.iter().cloned()),
            _ => return,
        }
    }
    map.shift_remove("oneOf");
    map.insert("type".to_owned(), "string".into());
    map.insert("enum".to_owned(), words.into());
}
