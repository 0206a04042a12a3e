//! Decides which names mean the same entity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shape::{AnyObject, Formed};
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct ResolveEntities;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// Entities with name and type, as extract_entities gives them.
    #[schemars(with = "Vec<AnyObject>", extend("x-any-form" = true))]
    pub entities: Value,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// How names are compared.
    #[serde(default)]
    pub strategy: Strategy,
    /// From 0 to 1: names at least this alike are merged.
    #[serde(default = "usual_threshold")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// The part of the graph; left out, the agent's.
    #[schemars(length(min = 1, max = 64))]
    pub namespace: Option<String>,
    /// For how many seconds the step waits, 0 to 60; names that are not resolved by then are resolved in the background.
    #[serde(default = "usual_patience")]
    #[schemars(range(min = 0, max = 60))]
    pub within_seconds: u32,
}

/// How names are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-refused" = { "ml": "no model is shipped" }))]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Strategy {
    /// Letter by letter.
    Exact,
    /// By likeness.
    #[default]
    Fuzzy,
}

impl Strategy {
    /// The word in playbooks.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One record per entity, with the names it goes by.
    pub resolved: Vec<Resolved>,
    /// How many names were merged into another.
    pub merge_count: u64,
    /// Pairs too alike to keep apart and not alike enough to merge.
    #[schemars(with = "Vec<AnyObject>")]
    pub ambiguous: Vec<Value>,
    /// How many further pairs there are.
    pub ambiguous_left_out: u64,
    /// How many relationships between entities were read.
    pub relationships: u64,
    /// How many of them the knowledge graph did not have.
    pub new_relationships: u64,
    /// How many names are resolved in the background, because it would have taken too long now; `resolved` is empty then.
    pub pending: u64,
    /// That names are resolved later, and which are left out because they are too large; the first 100.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

/// An entity, with the names it goes by.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Resolved {
    pub canonical_name: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub aliases: Vec<String>,
    pub spellings: u64,
    pub merge_count: u64,
    pub confidence: f64,
    pub entity_id: String,
    pub is_known: bool,
    #[schemars(with = "AnyObject")]
    pub external_ids: Value,
}

fn usual_patience() -> u32 {
    20
}

pub(super) fn usual_threshold() -> f64 {
    0.85
}

impl Action for ResolveEntities {
    const NAME: &'static str = "resolve_entities";
    const FUNCTION: &'static str = "tool-knowledge";
    const DESCRIPTION: &'static str = "Merges names that mean the same entity.";
    const REFUSED: [&'static str; 3] = ["BAD_INPUT", "BAD_PARAM", "PARAM_OUT_OF_RANGE"];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;

    fn describe(contract: Contract) -> Contract {
        Contract { writes: true, rehearses: true, ..contract }
    }
}
