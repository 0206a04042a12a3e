//! Entities that the knowledge graph did not have before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Action;
use crate::shape::{Date, Formed};

/// The declaration.
#[derive(Debug)]
pub struct DetectNewEntities;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The kinds of entities to look for, such as `ORG`.
    #[schemars(length(min = 1, max = 20))]
    pub entity_types: Vec<String>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The least confidence.
    #[serde(default = "half")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: f64,
    /// Only entities that this connector has brought; left out, all.
    pub source_filter: Option<String>,
}

fn half() -> f64 {
    0.5
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The new entities, the oldest first.
    pub entities: Vec<NewEntity>,
    /// How many there are.
    pub count: usize,
    /// Whether there are more than one look takes; in a monitor the next one goes on with them.
    pub has_more: bool,
    /// Where the step stands once they are processed.
    pub watermark: Option<String>,
    /// Where it stood before.
    pub previous_watermark: Option<String>,
}

/// An entity.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NewEntity {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub subtype: Option<String>,
    pub confidence: f64,
    pub source: String,
    #[schemars(with = "Date")]
    pub created_at: String,
    pub entity_id: String,
}

impl Action for DetectNewEntities {
    const NAME: &'static str = "detect_new_entities";
    const FUNCTION: &'static str = "tool-knowledge";
    const DESCRIPTION: &'static str =
        "Finds entities that the knowledge graph did not have at the last look.";
    const REFUSED: [&'static str; 3] = ["DETECT_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;
}
