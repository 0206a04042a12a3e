//! What people decide about entities (F-246…F-249): two are one, one is two, or a decision is taken back.
//!
//! Every function here reads what is stored and gives what is to be written, all of it or nothing. See [`Decided`] for
//! how the graph is read afterwards.

mod merge;
mod reverse;
mod split;

use countersign_identity::UserId;
use jiff::Timestamp;
use serde_json::Map;

pub use self::merge::{approve, merge};
pub use self::reverse::{concerned, reverse};
pub use self::split::{Cut, names_for, split};

use crate::decided::Decided;
use crate::error::KnowledgeError;
use crate::model::{Entity, EntityId, derived_id};
use crate::rows::{LogId, ResolutionAction, ResolutionLogRow, ReviewId, ReviewRow, ReviewStatus};
use crate::scope::Scope;

/// Who decides, in which part of whose graph, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decider {
    /// The part.
    pub scope: Scope,
    /// The person.
    pub person: UserId,
    /// The time.
    pub at: Timestamp,
}

/// All writes of one decision.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    /// Entities as they are afterwards.
    pub entities: Vec<Entity>,
    /// A new row of the log.
    pub log: Option<ResolutionLogRow>,
    /// A row of the log that is reversed by it.
    pub reversed: Option<ResolutionLogRow>,
    /// Reviews as they are afterwards, with the status each has before.
    pub reviews: Vec<(Option<ReviewStatus>, ReviewRow)>,
}

/// The review of a pair: the same whichever comes first, so that the same doubt is asked once.
#[must_use]
pub fn review_id(scope: &Scope, one: &EntityId, other: &EntityId) -> ReviewId {
    let mut pair = [one.as_str(), other.as_str()];
    pair.sort_unstable();
    ReviewId::from_bytes(derived_id(&[
        "review",
        scope.owner.as_str(),
        scope.namespace.as_str(),
        pair[0],
        pair[1],
    ]))
}

/// Keeps the two of a review apart, or puts it aside. Saying the same again changes nothing.
///
/// # Errors
/// [`KnowledgeError::ReviewClosed`] when it was decided otherwise.
pub fn answer_review(
    by: &Decider,
    review: &ReviewRow,
    status: ReviewStatus,
) -> Result<Decision, KnowledgeError> {
    if review.status == status {
        return Ok(Decision::default());
    }
    open(review)?;
    Ok(Decision { reviews: vec![decided(by, review, status)], ..Decision::default() })
}

/// A skipped review can still be decided.
fn open(review: &ReviewRow) -> Result<(), KnowledgeError> {
    match review.status {
        ReviewStatus::Pending | ReviewStatus::Skipped => Ok(()),
        ReviewStatus::ApprovedMerge | ReviewStatus::Rejected => {
            Err(KnowledgeError::ReviewClosed { status: review.status.as_str() })
        }
    }
}

fn decided(
    by: &Decider,
    review: &ReviewRow,
    status: ReviewStatus,
) -> (Option<ReviewStatus>, ReviewRow) {
    let after = ReviewRow {
        status,
        reviewed_at: Some(by.at),
        reviewed_by: Some(by.person.clone()),
        ..review.clone()
    };
    (Some(review.status), after)
}

impl Decider {
    /// The row of the log that says what a person does now to the source and the target, beyond doubt.
    fn row(&self, action: ResolutionAction, source: &Entity, target: &Entity) -> ResolutionLogRow {
        ResolutionLogRow {
            id: self.log_id(action.as_str(), [&target.id, &source.id]),
            user_id: self.scope.owner.clone(),
            execution_id: String::new(),
            action,
            source_entity_name: source.canonical_name.clone(),
            source_entity_type: source.entity_type.clone(),
            source_entity_id: Some(source.id.clone()),
            target_entity_name: target.canonical_name.clone(),
            target_entity_id: target.id.clone(),
            confidence: 1.0,
            match_method: None,
            match_details: Map::new(),
            review_id: None,
            decided_by: Some(self.person.clone()),
            is_reversible: true,
            reversed_at: None,
            reversed_by: None,
            created_at: self.at,
        }
    }

    /// The id of a row about this, now.
    fn log_id(&self, what: &str, parts: [&EntityId; 2]) -> LogId {
        LogId::from_bytes(derived_id(&[
            what,
            self.scope.owner.as_str(),
            self.scope.namespace.as_str(),
            parts[0].as_str(),
            parts[1].as_str(),
            &self.at.to_string(),
        ]))
    }
}

/// The entity that is read under this id.
fn whole(decided: &Decided, id: &EntityId) -> Option<Entity> {
    decided.get(decided.root(id)).cloned()
}

#[cfg(test)]
pub(crate) mod tests;
