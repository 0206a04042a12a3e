//! How records are read from JSON, for every type that answers it.

use countersign_registry::Field;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json_path::JsonPath;
use crate::reading::Reading;

/// How records are read from an answer (F-090).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JsonMapping {
    /// Where the records stand in the answer; the whole answer when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_path: Option<JsonPath>,
    /// Whether an object in which nothing stands there has no records.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub results_optional: bool,
    /// Whether there is an object for each record, or a list for each field.
    #[serde(default, skip_serializing_if = "Layout::is_rows")]
    pub layout: Layout,
    /// Local name → path in one record; empty passes records through as they are.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub fields: IndexMap<String, JsonPath>,
    /// Fields whose texts come in base64, and are read as what they stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base64: Vec<String>,
    /// Values of the answer that stand beside its records (F-091).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<MetadataField>,
    /// How texts are read as numbers and dates.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

/// How records stand in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "layout"))]
pub enum Layout {
    /// One object for each.
    #[default]
    Rows,
    /// One list for each field: the first record is made of the first item of every list.
    Columns,
}

impl Layout {
    pub(crate) fn is_rows(&self) -> bool {
        *self == Self::Rows
    }
}

/// One value beside the records, such as how many there are in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataField {
    /// The output.
    #[serde(flatten)]
    pub field: Field,
    /// Where it stands in the first answer.
    pub path: JsonPath,
}
