//! Finds entities of the owner's graph, and what is around them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Action;
use crate::explain::Problem;
use crate::shape::{AnyObject, Date, Formed};

/// The declaration.
#[derive(Debug)]
pub struct SearchKnowledgeGraph;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// A name, or how its words begin; this, `entity_names` or `external_id` is required.
    #[schemars(length(min = 1, max = 400))]
    pub entity_name: Option<String>,
    /// Several names, at most 50.
    #[schemars(length(max = 50))]
    pub entity_names: Option<Vec<String>>,
    /// An identifier, `scheme:value`, such as `ein:12-3456789`.
    #[schemars(length(min = 3, max = 200))]
    pub external_id: Option<String>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Only entities of these kinds, such as PERSON; left out, all.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub entity_types: Vec<String>,
    /// Only along these relationships, such as `OFFICER_OF`; left out, all.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub relationship_types: Vec<String>,
    /// Whether what is connected with them is found too.
    #[serde(default = "yes")]
    pub include_related: bool,
    /// How many steps that is, 1 to 4.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 4))]
    pub max_hops: u64,
    /// The part of the graph; left out, the agent's.
    #[schemars(length(min = 1, max = 64))]
    pub namespace: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Those that the names and the identifier found first, then the nearest.
    pub entities: Vec<Found>,
    /// Between these entities.
    pub relationships: Vec<Related>,
    /// How many entities there are.
    pub count: u64,
    /// Whether there is more than one answer holds: 500 entities, 2,000 relationships.
    pub is_cut: bool,
    /// The names, and the identifier, that found nothing.
    pub not_found: Vec<String>,
    /// Names that were not looked for to their end, because too many others begin like them.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

/// An entity of the graph.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Found {
    pub name: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub subtype: Option<String>,
    pub aliases: Vec<String>,
    #[schemars(with = "AnyObject")]
    pub external_ids: Value,
    pub confidence: f64,
    pub entity_id: String,
    pub source_count: u64,
    /// The entities a person parted from it: the counts and times of both are those of the two together.
    pub counted_with: Vec<String>,
    #[schemars(with = "Date")]
    pub first_seen: String,
    #[schemars(with = "Date")]
    pub last_seen: String,
}

/// A relationship between two entities.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Related {
    pub source: String,
    pub target: String,
    #[serde(rename = "type")]
    pub relationship_type: String,
    /// What all records of the last run say.
    #[schemars(with = "AnyObject")]
    pub properties: Value,
    /// The names of what they say differently, such as the amounts of several gifts.
    pub differing: Vec<String>,
    pub confidence: f64,
    pub source_id: String,
    pub target_id: String,
    /// How many records say so.
    pub readings: u64,
    /// Whether more records say so than were kept.
    pub more_readings: bool,
}

fn yes() -> bool {
    true
}

fn two() -> u64 {
    2
}

impl Action for SearchKnowledgeGraph {
    const NAME: &'static str = "search_knowledge_graph";
    const FUNCTION: &'static str = "tool-knowledge";
    const DESCRIPTION: &'static str = "Finds entities of the knowledge graph by name or identifier, and what is connected with them.";
    const REFUSED: [&'static str; 3] = ["BAD_INPUT", "BAD_PARAM", "PARAM_OUT_OF_RANGE"];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;

    fn rules(params: &Params) -> Vec<Problem> {
        if params.include_related {
            return Vec::new();
        }
        let set = [
            ("max_hops", params.max_hops != two()),
            ("relationship_types", !params.relationship_types.is_empty()),
        ];
        let unused = set.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| {
            let message = format!("`{name}` has no effect: `include_related` is `false`");
            Problem::without_effect(name, message)
        });
        unused.collect()
    }
}
