//! Finds the same entities in two datasets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Action;
use crate::explain::Problem;
use crate::infer::{Inferred, InputTypes, check_field};
use crate::shape::{AnyObject, Records};

/// The declaration.
#[derive(Debug)]
pub struct CrossReference;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// Records or entities.
    pub dataset_a: Records,
    /// Records or entities to compare with.
    pub dataset_b: Records,
    // Ours, with `entity_field`: what somebody resolved is what counts, not the names again.
    /// The pairs in doubt, as match_entities gives them in `ambiguous`.
    #[schemars(with = "Option<Vec<AnyObject>>")]
    pub doubts: Option<Vec<Value>>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// What must agree.
    #[serde(default)]
    pub match_strategy: MatchStrategy,
    /// From 0 to 1: how alike two names must be.
    #[serde(default = "usual_threshold")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub match_threshold: f64,
    // Ours: without them the handler looks for the usual name fields, and pairs within one organisation count.
    /// The field of the first dataset that holds names.
    pub name_field_a: Option<String>,
    /// The same of the second dataset.
    pub name_field_b: Option<String>,
    /// The field of the first dataset that holds external ids.
    pub id_field_a: Option<String>,
    /// The same of the second dataset.
    pub id_field_b: Option<String>,
    /// What the names are, such as PERSON.
    pub entity_type: Option<String>,
    /// Records with the same value in it are not paired.
    pub distinct_field: Option<String>,
    /// The field with the resolved entity: records match when it is equal, and only then.
    pub entity_field: Option<String>,
}

/// What must agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchStrategy {
    /// Names, letter by letter.
    Exact,
    /// Names, by likeness.
    #[default]
    FuzzyName,
    /// Ids of other registers.
    ExternalId,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Pairs that mean the same entity.
    pub matches: Vec<Match>,
    /// What only the first dataset has.
    #[schemars(with = "Vec<AnyObject>")]
    pub unmatched_a: Vec<Value>,
    /// What only the second dataset has.
    #[schemars(with = "Vec<AnyObject>")]
    pub unmatched_b: Vec<Value>,
    /// How many pairs there are.
    pub count: usize,
    /// Pairs of the doubts: perhaps the same entity, and `why` nobody can say.
    pub doubtful: Vec<Doubtful>,
    /// How many of them there are.
    pub doubtful_count: usize,
    /// Fields that are named and that no record of their dataset has, and names that are too long to be compared.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

/// Two records of the same entity.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Match {
    #[schemars(with = "AnyObject")]
    pub entity_a: Value,
    #[schemars(with = "AnyObject")]
    pub entity_b: Value,
    pub match_score: f64,
    pub match_method: String,
    pub basis: String,
}

/// Two records of perhaps the same entity.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Doubtful {
    #[schemars(with = "AnyObject")]
    pub entity_a: Value,
    #[schemars(with = "AnyObject")]
    pub entity_b: Value,
    pub why: String,
}

fn usual_threshold() -> f64 {
    0.8
}

impl Action for CrossReference {
    const NAME: &'static str = "cross_reference";
    const FUNCTION: &'static str = "tool-data";
    const DESCRIPTION: &'static str = "Finds the entities two datasets have in common.";
    const REFUSED: [&'static str; 3] = ["BAD_INPUT", "BAD_PARAM", "PARAM_OUT_OF_RANGE"];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn rules(params: &Params) -> Vec<Problem> {
        let mut unused = Vec::new();
        let is_by_entity = params.entity_field.is_some();
        let by_entity = "records are joined by the entity that `entity_field` names";
        if is_by_entity && params.match_strategy != MatchStrategy::FuzzyName {
            let message = format!("`match_strategy` has no effect: {by_entity}");
            unused.push(Problem::without_effect("match_strategy", message));
        }
        if (params.match_threshold - usual_threshold()).abs() > f64::EPSILON {
            let why = match params.match_strategy {
                _ if is_by_entity => Some(by_entity),
                MatchStrategy::FuzzyName => None,
                MatchStrategy::Exact | MatchStrategy::ExternalId => {
                    Some("only `fuzzy_name` scores pairs")
                }
            };
            let told = why.map(|why| format!("`match_threshold` has no effect: {why}"));
            unused.extend(told.map(|told| Problem::without_effect("match_threshold", told)));
        }
        let ids = [
            ("id_field_a", &params.id_field_a, "id_field_b"),
            ("id_field_b", &params.id_field_b, "id_field_a"),
        ];
        let is_alone = params.id_field_a.is_some() != params.id_field_b.is_some();
        for (name, _, other) in ids.into_iter().filter(|(_, field, _)| is_alone && field.is_some())
        {
            let message = format!(
                "`{name}` has no effect: ids are compared where `{other}` names those of the other dataset"
            );
            unused.push(Problem::without_effect(name, message));
        }
        unused
    }

    fn infer(params: &Params, inputs: &InputTypes) -> Inferred {
        let mut inferred = Inferred::default();
        let named = [
            ("dataset_a", "name_field_a", &params.name_field_a),
            ("dataset_b", "name_field_b", &params.name_field_b),
            ("dataset_a", "id_field_a", &params.id_field_a),
            ("dataset_b", "id_field_b", &params.id_field_b),
            ("dataset_a", "entity_field", &params.entity_field),
            ("dataset_b", "entity_field", &params.entity_field),
            ("dataset_a", "distinct_field", &params.distinct_field),
            ("dataset_b", "distinct_field", &params.distinct_field),
        ];
        for (input, param, field) in named {
            check_field(&mut inferred, inputs, input, (param, field.as_deref()));
        }
        inferred
    }
}
