//! `cross_reference` (F-049): the same thing in two record sets, or twice in one.

use std::collections::BTreeSet;

use countersign_knowledge::cross::{CrossReferences, Doubt, MatchStrategy, Question, Side, cross};
use countersign_knowledge::{EntityType, MatchMethod};
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::cross_reference as declared;
use countersign_registry::shape::filled;
use countersign_registry::{Perform, Warnings};
use serde::Deserialize as _;
use serde_json::Value;

use crate::transform::no_record_has;

/// The whole record stands on both sides of a match, so a large answer is bounded in bytes as well.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct CrossReference;

impl Perform for CrossReference {
    type Action = declared::CrossReference;

    async fn perform(
        &self,
        _: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        compare(inputs, params)
    }
}

fn compare(
    inputs: declared::Inputs,
    params: declared::Params,
) -> Result<declared::Output, ActionError> {
    let (a, b) = (inputs.dataset_a.items, inputs.dataset_b.items);
    let question = question(params, inputs.doubts)?;
    let mut warnings = absent(&a, &b, &question);
    let mut crossing =
        cross(&a, &b, &question).map_err(|error| ActionError::from_failure(&error))?;
    warnings.extend(std::mem::take(&mut crossing.left_out));
    let warnings: Warnings = warnings.into_iter().collect();
    check_size(&crossing, &a, &b)?;
    let matches = crossing.matches.iter().map(|found| declared::Match {
        entity_a: a[found.a].clone(),
        entity_b: b[found.b].clone(),
        match_score: found.score,
        match_method: found.method.as_str().to_owned(),
        basis: basis(found.method).to_owned(),
    });
    let doubtful = crossing.doubtful.iter().map(|found| declared::Doubtful {
        entity_a: a[found.a].clone(),
        entity_b: b[found.b].clone(),
        why: found.why.clone(),
    });
    let of = |records: &[Value], indices: &[usize]| {
        indices.iter().map(|index| records[*index].clone()).collect::<Vec<_>>()
    };
    Ok(declared::Output {
        count: crossing.matches.len(),
        matches: matches.collect(),
        unmatched_a: of(&a, &crossing.unmatched_a),
        unmatched_b: of(&b, &crossing.unmatched_b),
        doubtful_count: crossing.doubtful.len(),
        doubtful: doubtful.collect(),
        warning_count: warnings.count(),
        warnings: warnings.kept().to_vec(),
    })
}

/// Fields that are named and that no record of their dataset has: a misspelt one would otherwise match nothing, or everything.
fn absent(a: &[Value], b: &[Value], question: &Question) -> Vec<String> {
    let mut said = Vec::new();
    for (dataset, records, side) in [("dataset_a", a, &question.a), ("dataset_b", b, &question.b)] {
        let named =
            [&side.name_field, &side.id_field, &question.distinct_field, &question.entity_field];
        // A name by itself has no fields.
        let records = if records.iter().any(Value::is_object) { records } else { &[] };
        said.extend(named.into_iter().flatten().filter_map(|field| {
            let why = no_record_has(records, field)?;
            Some(format!("{dataset}: `{field}`: {why}"))
        }));
    }
    said
}

fn question(params: declared::Params, doubts: Option<Vec<Value>>) -> Result<Question, ActionError> {
    let strategy = match params.match_strategy {
        declared::MatchStrategy::Exact => MatchStrategy::Exact,
        declared::MatchStrategy::FuzzyName => MatchStrategy::FuzzyName,
        declared::MatchStrategy::ExternalId => MatchStrategy::ExternalId,
    };
    let side = |name, id| Side { name_field: filled(name), id_field: filled(id) };
    let entity_field = filled(params.entity_field);
    Ok(Question {
        strategy,
        threshold: params.match_threshold,
        a: side(params.name_field_a, params.id_field_a),
        b: side(params.name_field_b, params.id_field_b),
        entity_type: filled(params.entity_type).map(|kind| EntityType::from(kind.as_str())),
        distinct_field: filled(params.distinct_field),
        doubts: read_doubts(doubts, entity_field.is_some())?,
        entity_field,
    })
}

/// Doubts say nothing without the field that tells entities apart, and are then refused rather than ignored.
fn read_doubts(given: Option<Vec<Value>>, has_field: bool) -> Result<Vec<Doubt>, ActionError> {
    let Some(given) = given else { return Ok(Vec::new()) };
    if !has_field {
        let message = "`doubts` are about resolved entities: name their field in `entity_field`";
        return Err(ActionError::terminal("BAD_PARAM", message));
    }
    let read = |(n, doubt): (usize, &Value)| {
        let message = format!("doubts[{n}] must have `entity_id` and `candidate_id`, both texts");
        Doubt::deserialize(doubt).map_err(|_| ActionError::terminal("BAD_INPUT", message))
    };
    given.iter().enumerate().map(read).collect()
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

fn check_size(crossing: &CrossReferences, a: &[Value], b: &[Value]) -> Result<(), ActionError> {
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
