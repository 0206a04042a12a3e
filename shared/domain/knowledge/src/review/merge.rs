//! Two entities are one.

use serde_json::{Map, Value};

use super::{Decider, Decision, decided as with_status, open, whole};
use crate::decided::{Decided, MAX_MERGED};
use crate::error::KnowledgeError;
use crate::model::{Entity, EntityId};
use crate::rows::{ResolutionAction, ResolutionLogRow, ReviewId, ReviewRow, ReviewStatus};

/// Merges the two of a review (F-353). Approving again changes nothing.
///
/// # Errors
/// [`KnowledgeError::ReviewClosed`] when it was decided otherwise, and whatever [`merge`] says.
pub fn approve(
    by: &Decider,
    decided: &Decided,
    review: &ReviewRow,
    keep: Option<&EntityId>,
) -> Result<Decision, KnowledgeError> {
    if review.status == ReviewStatus::ApprovedMerge {
        return Ok(Decision::default());
    }
    open(review)?;
    let (one, other) = (&review.source_entity_id, &review.candidate_entity_id);
    let (before, mut after) = with_status(by, review, ReviewStatus::ApprovedMerge);
    // They may have become one in another way.
    if decided.root(one) == decided.root(other) {
        return Ok(Decision { reviews: vec![(before, after)], ..Decision::default() });
    }
    let evidence = Evidence {
        confidence: review.confidence,
        details: review.match_details.clone(),
        review: Some(review.id.clone()),
    };
    let mut decision = join(by, decided, [one, other], keep, evidence)?;
    after.log_id = decision.log.as_ref().map(|row| row.id.clone());
    decision.reviews.push((before, after));
    Ok(decision)
}

/// Merges two entities that a person says are one.
///
/// # Errors
/// [`KnowledgeError::MergeImpossible`] when they are one already, of two kinds, gone, or too many would be one.
pub fn merge(
    by: &Decider,
    decided: &Decided,
    pair: [&EntityId; 2],
    keep: Option<&EntityId>,
) -> Result<Decision, KnowledgeError> {
    let evidence = Evidence { confidence: 1.0, details: Map::new(), review: None };
    join(by, decided, pair, keep, evidence)
}

/// What is known of a pair.
pub(super) struct Evidence {
    pub(super) confidence: f64,
    pub(super) details: Map<String, Value>,
    pub(super) review: Option<ReviewId>,
}

pub(super) fn join(
    by: &Decider,
    decided: &Decided,
    pair: [&EntityId; 2],
    keep: Option<&EntityId>,
    evidence: Evidence,
) -> Result<Decision, KnowledgeError> {
    let impossible = |problem: String| KnowledgeError::MergeImpossible { problem };
    let entity = |id: &EntityId| {
        whole(decided, id).ok_or_else(|| impossible(format!("`{id}` is not in this graph")))
    };
    let (one, other) = (entity(pair[0])?, entity(pair[1])?);
    if one.id == other.id {
        return Err(impossible("they are one already".to_owned()));
    }
    if one.entity_type != other.entity_type {
        let kinds = format!("one is a {}, the other a {}", one.entity_type, other.entity_type);
        return Err(impossible(kinds));
    }
    if decided.group(&one.id).len() + decided.group(&other.id).len() > MAX_MERGED {
        return Err(impossible(format!("at most {MAX_MERGED} entities are merged into one")));
    }
    let keeps_other = match keep.map(|id| decided.root(id)) {
        Some(id) if *id == one.id => false,
        Some(id) if *id == other.id => true,
        Some(id) => return Err(impossible(format!("`{id}`, to be kept, is neither of the two"))),
        None => is_better_known(&other, &one),
    };
    let (kept, merged) = if keeps_other { (other, one) } else { (one, other) };
    Ok(linked(by, kept, merged, evidence))
}

/// The one that more runs have met, else the older one.
fn is_better_known(one: &Entity, than: &Entity) -> bool {
    let rank = |entity: &Entity| (std::cmp::Reverse(entity.source_count), entity.first_seen);
    (rank(one), &one.id) < (rank(than), &than.id)
}

fn linked(by: &Decider, mut kept: Entity, mut merged: Entity, evidence: Evidence) -> Decision {
    let row = ResolutionLogRow {
        confidence: evidence.confidence,
        match_details: evidence.details,
        review_id: evidence.review,
        ..by.row(ResolutionAction::UserMerge, &merged, &kept)
    };
    kept.members.insert(merged.id.clone());
    merged.merged_into = Some(kept.id.clone());
    for entity in [&mut kept, &mut merged] {
        entity.updated_at = by.at;
    }
    Decision { entities: vec![kept, merged], log: Some(row), ..Decision::default() }
}
