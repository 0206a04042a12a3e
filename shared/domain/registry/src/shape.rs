//! Types that inputs, params and outputs of actions are declared with, beside those of Rust.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::data_type::{DataType, Field};
use crate::derive::outputs;

/// The schema of an object whose fields are not declared. Stands for a [`Value`] in `#[schemars(with = …)]`.
#[derive(Debug)]
pub struct AnyObject;

/// The schema of a day `yyyy-mm-dd` or a time in RFC 3339. Stands for a text in `#[schemars(with = …)]`.
#[derive(Debug)]
pub struct Date;

/// The records of an input: a list, or a record set that has them under `results`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// The records.
    pub items: Vec<Value>,
    /// What a record set says beside its records.
    pub set: Map<String, Value>,
}

/// An output that another crate has put together in the form of `T`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Formed<T> {
    value: Value,
    #[serde(skip)]
    form: std::marker::PhantomData<fn() -> T>,
}

impl<T: JsonSchema> From<Value> for Formed<T> {
    /// In a development build, panics when the value has a field that `T` does not declare: playbooks could not refer to it.
    fn from(value: Value) -> Self {
        debug_assert_eq!(undeclared(&value, &output_type::<T>()), None, "not declared");
        Self { value, form: std::marker::PhantomData }
    }
}

fn output_type<T: JsonSchema>() -> DataType {
    DataType::Record(
        outputs::<T>().into_iter().map(|slot| Field::new(&slot.name, slot.data_type)).collect(),
    )
}

/// The first field that a type does not declare, as a path.
fn undeclared(value: &Value, data_type: &DataType) -> Option<String> {
    match (value, data_type) {
        (Value::Object(given), DataType::Record(fields)) => {
            given.iter().find_map(|(key, value)| {
                let Some(field) = fields.iter().find(|field| field.name == *key) else {
                    return Some(key.clone());
                };
                undeclared(value, &field.data_type).map(|below| format!("{key}.{below}"))
            })
        }
        (Value::Array(items), DataType::Array(item)) => items
            .iter()
            .find_map(|value| undeclared(value, item))
            .map(|below| format!("[].{below}")),
        _ => None,
    }
}

/// Field names: one, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Names {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Names {
    /// All of them.
    #[must_use]
    pub fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names,
        }
    }
}

/// A text without the spaces around it; nothing when that leaves nothing.
#[must_use]
pub fn filled(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

impl<'de> Deserialize<'de> for Records {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Array(items) => Ok(Self { items, set: Map::new() }),
            Value::Object(mut set) => match set.shift_remove("results") {
                Some(Value::Array(items)) => Ok(Self { items, set }),
                _ => Err(D::Error::custom("a record set has a list under `results`")),
            },
            _ => Err(D::Error::custom("not a list of records")),
        }
    }
}

impl JsonSchema for Records {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Records".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "object" }, "x-record-set": true })
    }
}

impl JsonSchema for AnyObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

impl JsonSchema for Date {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Date".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

impl<T: JsonSchema> JsonSchema for Formed<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
