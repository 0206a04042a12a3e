//! `cross_reference` (F-049): the same thing in two record sets, or twice in one.

use std::collections::BTreeSet;

use countersign_knowledge::cross::{Crossing, Doubt, MatchStrategy, Question, Side, cross};
use countersign_knowledge::{EntityType, MatchMethod};
use countersign_registry::action::{Action, ActionError, Call};
use futures::future::BoxFuture;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::given;

/// The whole record stands on both sides of a match, so a large answer is bounded in bytes as well.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct CrossReference;

impl Action for CrossReference {
    fn name(&self) -> &'static str {
        "cross_reference"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move { compare(call) })
    }
}

fn compare(call: &Call) -> Result<Value, ActionError> {
    let a = given::records(call, "dataset_a")?;
    let b = given::records(call, "dataset_b")?;
    let crossing =
        cross(&a, &b, &question(call)?).map_err(|error| ActionError::from_failure(&error))?;
    check_size(&crossing, &a, &b)?;
    let matches: Vec<Value> = crossing
        .matches
        .iter()
        .map(|found| json!({
            "entity_a": a[found.a], "entity_b": b[found.b], "match_score": found.score, "match_method": found.method,
            "basis": basis(found.method),
        }))
        .collect();
    let doubtful: Vec<Value> = crossing
        .doubtful
        .iter()
        .map(|found| json!({ "entity_a": a[found.a], "entity_b": b[found.b], "why": found.why }))
        .collect();
    let of = |records: &[Value], indices: &[usize]| {
        indices.iter().map(|index| records[*index].clone()).collect::<Vec<_>>()
    };
    Ok(json!({
        "count": matches.len(),
        "matches": matches,
        "unmatched_a": of(&a, &crossing.unmatched_a),
        "unmatched_b": of(&b, &crossing.unmatched_b),
        "doubtful_count": doubtful.len(),
        "doubtful": doubtful,
    }))
}

fn question(call: &Call) -> Result<Question, ActionError> {
    let strategy = given::text(call, "match_strategy")?.unwrap_or("fuzzy_name");
    let side = |name: &str, id: &str| -> Result<Side, ActionError> {
        Ok(Side {
            name_field: given::text(call, name)?.map(str::to_owned),
            id_field: given::text(call, id)?.map(str::to_owned),
        })
    };
    Ok(Question {
        strategy: MatchStrategy::parse(strategy).map_err(|error| {
            ActionError::from_failure(&error)
                .with_help("use `exact`, `fuzzy_name` or `external_id`")
        })?,
        threshold: given::number(call, "match_threshold", 0.8)?,
        a: side("name_field_a", "id_field_a")?,
        b: side("name_field_b", "id_field_b")?,
        entity_type: given::text(call, "entity_type")?.map(EntityType::from),
        distinct_field: given::text(call, "distinct_field")?.map(str::to_owned),
        entity_field: given::text(call, "entity_field")?.map(str::to_owned),
        doubts: doubts(call)?,
    })
}

/// Doubts say nothing without the field that tells entities apart, and are then refused rather than ignored.
fn doubts(call: &Call) -> Result<Vec<Doubt>, ActionError> {
    let given = call.inputs.get("doubts").filter(|doubts| !doubts.is_null());
    let Some(given) = given else { return Ok(Vec::new()) };
    if call.params.get("entity_field").is_none_or(Value::is_null) {
        let message = "`doubts` are about resolved entities: name their field in `entity_field`";
        return Err(ActionError::terminal("BAD_PARAM", message));
    }
    Vec::<Doubt>::deserialize(given)
        .map_err(|error| ActionError::terminal("BAD_INPUT", format!("`doubts`: {error}")))
}

/// By what two records were matched, in words.
fn basis(method: MatchMethod) -> &'static str {
    match method {
        MatchMethod::ExactName => "Same name",
        MatchMethod::FuzzyName => "Same name, written differently",
        MatchMethod::ExternalId => "Same identification number",
        MatchMethod::ContextOverlap => "Similar names in the same organisation",
    }
}

fn check_size(crossing: &Crossing, a: &[Value], b: &[Value]) -> Result<(), ActionError> {
    // Each record is measured once, however often it is matched.
    let measure = |records: &[Value], used: BTreeSet<usize>| -> Vec<(usize, usize)> {
        used.into_iter().map(|index| (index, records[index].to_string().len())).collect()
    };
    let left = measure(a, crossing.matches.iter().map(|found| found.a).collect());
    let right = measure(b, crossing.matches.iter().map(|found| found.b).collect());
    let size_of = |sizes: &[(usize, usize)], index: usize| {
        sizes.binary_search_by_key(&index, |(at, _)| *at).map_or(0, |place| sizes[place].1)
    };
    let total: usize = crossing
        .matches
        .iter()
        .map(|found| size_of(&left, found.a) + size_of(&right, found.b))
        .sum();
    if total > MAX_ANSWER_BYTES {
        let message = format!(
            "the {} matches repeat {total} bytes of records; at most {MAX_ANSWER_BYTES} fit",
            crossing.matches.len()
        );
        return Err(ActionError::terminal("TOO_MANY_RECORDS", message)
            .with_help("raise `match_threshold` or filter the datasets first"));
    }
    Ok(())
}
