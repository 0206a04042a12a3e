//! The types of values that flow between steps.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A named, typed part of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DataField")]
pub struct Field {
    /// The key in the JSON object.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: DataType,
    /// One sentence for people and models.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl Field {
    /// A field without a description.
    #[must_use]
    pub fn new(name: &str, data_type: DataType) -> Self {
        Self { name: name.to_owned(), data_type, description: String::new() }
    }

    /// A field with a description.
    #[must_use]
    pub fn described(name: &str, data_type: DataType, description: &str) -> Self {
        Self { description: description.to_owned(), ..Self::new(name, data_type) }
    }
}

/// The type of a value (F-091, F-161). JSON on the wire: `"string"`, `{"array": "string"}`, `{"record": [field…]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DataType {
    /// Any text.
    String,
    /// A number.
    Number,
    /// An exact number, as money needs it: a text in plain notation such as `"1250.00"`, of at most 28 digits.
    Decimal,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A calendar date `yyyy-mm-dd` or an RFC 3339 time, as text.
    Date,
    /// An object whose fields are not declared.
    Object,
    /// An object with declared fields.
    Record(Vec<Field>),
    /// A list.
    Array(Box<DataType>),
    /// Anything: the type is known only at run time.
    Any,
}

impl DataType {
    /// A list of `item`.
    #[must_use]
    pub fn array(item: DataType) -> Self {
        Self::Array(Box::new(item))
    }

    /// A list of records with the given fields: what the catalogue writes `name[a,b]`.
    #[must_use]
    pub fn records(fields: Vec<Field>) -> Self {
        Self::array(Self::Record(fields))
    }

    /// The type of a JSON value, without a look into texts, lists and objects.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Any,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::array(Self::Any),
            Value::Object(_) => Self::Object,
        }
    }

    /// What JSON Schema calls it; none of [`DataType::Any`].
    pub(crate) fn in_json_schema(&self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Date | Self::Decimal => Some("string"),
            Self::Record(_) => Some("object"),
            other => Some(other.into()),
        }
    }

    /// The description of a value in a schema, and how the value is written where its type in JSON Schema leaves that open.
    pub(crate) fn described(&self, description: &str) -> Option<Value> {
        let form = match self {
            Self::Date => "a date (yyyy-mm-dd) or a time (RFC 3339)",
            Self::Decimal => "an exact number as text, such as 1250.00",
            _ => "",
        };
        let parts = [description, form].into_iter().filter(|part| !part.is_empty());
        let text = parts.collect::<Vec<_>>().join("; ");
        (!text.is_empty()).then(|| text.into())
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array(item) => write!(f, "{item}[]"),
            other => f.write_str(other.into()),
        }
    }
}
