//! Decides which names mean the same entity, without remembering it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::resolve_entities::{Resolved, Strategy, usual_threshold};
use crate::Action;
use crate::data_type::{DataType, Field};
use crate::explain::Problem;
use crate::infer::{Inferred, InputTypes, check_field, records};
use crate::shape::{AnyObject, Formed};

/// The declaration.
#[derive(Debug)]
pub struct MatchEntities;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// Entities with name and type, as extract_entities gives them.
    #[schemars(with = "Vec<AnyObject>", extend("x-any-form" = true))]
    pub entities: Value,
    /// The records the entities were found in; they come back with their entity.
    #[schemars(with = "Option<Vec<AnyObject>>")]
    pub records: Option<Vec<Value>>,
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
    /// The field that names what a record is about.
    #[serde(default = "name")]
    pub record_field: String,
    /// The part of the graph; left out, the agent's.
    #[schemars(length(min = 1, max = 64))]
    pub namespace: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One record per entity, with the names it goes by.
    pub resolved: Vec<Resolved>,
    /// How many names were merged into another.
    pub merge_count: u64,
    /// Pairs too alike to keep apart and not alike enough to merge; `why` says it in a sentence.
    pub ambiguous: Vec<Doubtful>,
    /// How many further pairs there are.
    pub ambiguous_left_out: u64,
    /// The given records with `_entity_id` and `_entity_name`; null where a record names nothing.
    #[schemars(with = "Vec<AnyObject>")]
    pub records: Vec<Value>,
    /// Names that are left out because they are too large; the first 100.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

/// Two names that may mean the same entity.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Doubtful {
    pub entity: String,
    pub candidate: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub entity_id: String,
    pub candidate_id: String,
    pub confidence: f64,
    pub match_method: String,
    #[schemars(with = "AnyObject")]
    pub match_details: Value,
    pub reason: String,
    pub why: String,
}

fn name() -> String {
    "name".to_owned()
}

impl Action for MatchEntities {
    const NAME: &'static str = "match_entities";
    const FUNCTION: &'static str = "tool-knowledge";
    const DESCRIPTION: &'static str =
        "Says which names mean the same entity, and remembers nothing.";
    const REFUSED: [&'static str; 3] = ["BAD_INPUT", "BAD_PARAM", "PARAM_OUT_OF_RANGE"];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;

    fn infer(params: &Params, inputs: &InputTypes) -> Inferred {
        let mut inferred = Inferred::default();
        check_field(&mut inferred, inputs, "records", ("record_field", Some(&params.record_field)));
        if params.record_field != name() && !inputs.contains_key("records") {
            let message = "`record_field` has no effect: no `records` are wired";
            inferred.problems.push(Problem::without_effect("record_field", message));
        }
        if let Some(fields) = records(inputs, "records") {
            let entity =
                ["_entity_id", "_entity_name"].map(|name| Field::new(name, DataType::String));
            let fields = fields.iter().cloned().chain(entity).collect();
            inferred.outputs.push(("records", DataType::records(fields)));
        }
        inferred
    }
}
