//! Finds people, organisations, places and other things named in records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Action;
use crate::shape::{AnyObject, Formed, Names, Records};

/// The declaration.
#[derive(Debug)]
pub struct ExtractEntities;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The records to read.
    pub data: Records,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// A list such as [PERSON, ORG], or auto for every known type.
    #[serde(default = "every")]
    pub entity_types: Names,
    /// How the entities of one record are related.
    #[schemars(extend("format" = "relationship"))]
    pub relationship_type: Option<String>,
    /// How names are found.
    #[serde(default)]
    pub strategy: Strategy,
    // Ours: the rules a connector would bring, for data that comes from elsewhere.
    /// Which fields name entities, each {field, entity_type, relationship_type}.
    pub rules: Option<Vec<Rule>>,
}

/// How names are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-refused" = { "ml": "no model is shipped" }))]
pub enum Strategy {
    /// By rules, word lists and shape.
    #[default]
    Auto,
    /// By rules alone.
    Rules,
}

/// A field that names an entity.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Dotted path in the record.
    #[schemars(length(min = 1))]
    pub field: String,
    /// `PERSON`, `ORG`, …, or `auto`: read as running text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// How the entity relates to the record's organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "relationship"))]
    pub relationship_type: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What was found, with its place in the data.
    pub entities: Vec<Entity>,
    /// How many were found.
    pub count: u64,
    /// Names that are left out because they, or what comes with them, are too large; the first 100.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

/// An entity and where it was found.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Entity {
    pub name: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub source_field: String,
    pub source_record_index: u64,
    pub confidence: f64,
    pub method: String,
    pub relationship_type: Option<String>,
    #[schemars(with = "AnyObject")]
    pub related_to: Option<Value>,
    #[schemars(with = "AnyObject")]
    pub external_ids: Option<Value>,
    pub context: Option<Vec<String>>,
    pub place: Option<String>,
    #[schemars(with = "AnyObject")]
    pub attributes: Option<Value>,
    pub source_connector: Option<String>,
    pub source_endpoint: Option<String>,
    pub source_query: Option<String>,
    pub retrieved_at: Option<String>,
    #[schemars(with = "AnyObject")]
    pub document: Option<Value>,
}

fn every() -> Names {
    Names::One("auto".to_owned())
}

impl Action for ExtractEntities {
    const NAME: &'static str = "extract_entities";
    const FUNCTION: &'static str = "tool-data";
    const DESCRIPTION: &'static str = "Finds the entities named in records.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;
}
