//! How records are read from XML, and the types that texts are read as.

use countersign_registry::{DataType, Field};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reading::Reading;
use crate::xpath::XPath;

/// How records are read from an XML document. Paths match by local name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseRules {
    /// The part of the document that bounds lists and that relative paths start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_element: Option<XPath>,
    /// One record per element; without it the document is one record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_element: Option<XPath>,
    /// The record's fields.
    pub fields: Vec<FieldRule>,
    /// Fields of the whole document, carried on every record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_fields: Vec<FieldRule>,
    /// How texts are read as numbers and dates.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

/// One field read from XML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldRule {
    /// Its name in the record.
    pub field: String,
    /// Where its value stands.
    pub xpath: XPath,
    /// What its text is read as.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl FieldRule {
    /// The field of a record.
    pub(crate) fn described(&self) -> Field {
        Field::described(&self.field, self.value_type.data_type(), &self.description)
    }
}

/// What the text of a value is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-code" = "type"))]
pub enum ValueType {
    /// Text, white space collapsed.
    #[serde(rename = "string")]
    String,
    /// A decimal number.
    #[serde(rename = "number")]
    Number,
    /// An exact decimal number, as text in plain notation.
    #[serde(rename = "decimal")]
    Decimal,
    /// A whole number.
    #[serde(rename = "integer")]
    Integer,
    /// `yyyy-mm-dd`.
    #[serde(rename = "date")]
    Date,
    /// `true`, `1` or `X`; `false`, `0` or nothing.
    #[serde(rename = "boolean")]
    Boolean,
    /// Every value, as a list of texts.
    #[serde(rename = "string[]")]
    StringList,
    /// Every value, as a list of numbers.
    #[serde(rename = "number[]")]
    NumberList,
}

impl ValueType {
    /// The type as the registry knows it.
    #[must_use]
    pub fn data_type(self) -> DataType {
        match self {
            Self::String => DataType::String,
            Self::Number => DataType::Number,
            Self::Decimal => DataType::Decimal,
            Self::Integer => DataType::Integer,
            Self::Date => DataType::Date,
            Self::Boolean => DataType::Boolean,
            Self::StringList => DataType::array(DataType::String),
            Self::NumberList => DataType::array(DataType::Number),
        }
    }

    /// Whether every value is kept, not only the first.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::StringList | Self::NumberList)
    }

    /// Whether it is one figure, of which a second, different value must be reported.
    #[must_use]
    pub fn is_figure(self) -> bool {
        matches!(self, Self::Number | Self::Integer | Self::Decimal)
    }
}
