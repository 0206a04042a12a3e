//! The types of values that flow between steps.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("string"),
            Self::Number => f.write_str("number"),
            Self::Decimal => f.write_str("decimal"),
            Self::Integer => f.write_str("integer"),
            Self::Boolean => f.write_str("boolean"),
            Self::Date => f.write_str("date"),
            Self::Object => f.write_str("object"),
            Self::Record(_) => f.write_str("record"),
            Self::Array(item) => write!(f, "{item}[]"),
            Self::Any => f.write_str("any"),
        }
    }
}
