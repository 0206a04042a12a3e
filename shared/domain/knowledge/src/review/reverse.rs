//! A decision, of a person or of a run, is taken back (F-356).

use std::collections::BTreeSet;

use countersign_zones::to_the_second;
use serde_json::Map;

use super::merge::{Evidence, join};
use super::{Cut, Decider, Decision, names_for, split};
use crate::decided::Decided;
use crate::error::KnowledgeError;
use crate::model::EntityId;
use crate::rows::{ResolutionAction, ResolutionLogRow, ReviewRow, ReviewStatus};
use crate::scope::Scope;

/// Takes back what a row of the log says. `review` is the one the row has decided; it is open again afterwards.
///
/// # Errors
/// [`KnowledgeError::NotReversible`] when it was reversed already, is of a kind that cannot be, or no longer holds.
pub fn reverse(
    by: &Decider,
    decided: &Decided,
    row: &ResolutionLogRow,
    review: Option<&ReviewRow>,
) -> Result<Decision, KnowledgeError> {
    if let Some(at) = row.reversed_at {
        return Err(not_reversible(format!("it was reversed at {}", to_the_second(at))));
    }
    let decision = match (row.action, &row.source_entity_id) {
        (ResolutionAction::UserMerge, Some(merged)) => unlink(by, decided, row, merged, review)?,
        (ResolutionAction::UserSplit, Some(made)) => {
            let evidence = Evidence { confidence: 1.0, details: Map::new(), review: None };
            let (pair, keep) = ([made, &row.target_entity_id], Some(&row.target_entity_id));
            join(by, decided, pair, keep, evidence)?
        }
        (ResolutionAction::AutoMerge, _) => {
            split(by, decided, &row.target_entity_id, &joined(decided, row)?)?
        }
        _ => {
            let action = row.action.as_str();
            return Err(not_reversible(format!("`{action}` joined and separated nothing")));
        }
    };
    let reversed = ResolutionLogRow {
        reversed_at: Some(by.at),
        reversed_by: Some(by.person.clone()),
        ..row.clone()
    };
    Ok(Decision { reversed: Some(reversed), ..decision })
}

/// The entities that must be looked up before a row is reversed.
#[must_use]
pub fn concerned(scope: &Scope, row: &ResolutionLogRow) -> BTreeSet<EntityId> {
    let mut ids = BTreeSet::from([row.target_entity_id.clone()]);
    ids.extend(row.source_entity_id.clone());
    if row.action == ResolutionAction::AutoMerge {
        for side in sides(row) {
            let names = BTreeSet::from([side.to_owned()]);
            let all = names_for(scope, &row.source_entity_type, &names);
            ids.extend(all.into_iter().map(|(_, id)| id));
        }
    }
    ids
}

/// The two spellings that a run joined.
fn sides(row: &ResolutionLogRow) -> impl Iterator<Item = &str> {
    let matched = row.match_details.get("matched_with").and_then(|name| name.as_str());
    [Some(row.source_entity_name.as_str()), matched].into_iter().flatten()
}

/// The spelling that a run joined, as what is taken from the entity again: the other one, where the entity goes by it.
fn joined(decided: &Decided, row: &ResolutionLogRow) -> Result<Cut, KnowledgeError> {
    let entity = decided.get(&row.target_entity_id);
    let entity = entity.ok_or_else(|| not_reversible("the entity is gone".to_owned()))?;
    let own = entity.spellings();
    let is_own = |name: &&str| *name != entity.canonical_name && own.contains(&(*name).to_owned());
    match sides(row).find(is_own) {
        Some(name) => {
            Ok(Cut { names: BTreeSet::from([name.to_owned()]), external_ids: BTreeSet::new() })
        }
        None => Err(not_reversible(format!(
            "`{}` goes by none of the two spellings, or has nothing but them",
            entity.canonical_name
        ))),
    }
}

fn unlink(
    by: &Decider,
    decided: &Decided,
    row: &ResolutionLogRow,
    merged: &EntityId,
    review: Option<&ReviewRow>,
) -> Result<Decision, KnowledgeError> {
    let (kept, merged) = (decided.get(&row.target_entity_id), decided.get(merged));
    let linked = merged.filter(|merged| merged.merged_into.as_ref() == Some(&row.target_entity_id));
    let (Some(mut kept), Some(mut merged)) = (kept.cloned(), linked.cloned()) else {
        return Err(not_reversible("the two are no longer merged in this way".to_owned()));
    };
    kept.members.remove(&merged.id);
    merged.merged_into = None;
    for entity in [&mut kept, &mut merged] {
        entity.updated_at = by.at;
    }
    let review = review.filter(|review| review.status == ReviewStatus::ApprovedMerge);
    let opened = review.map(|review| {
        let after = ReviewRow {
            status: ReviewStatus::Pending,
            reviewed_at: None,
            reviewed_by: None,
            log_id: None,
            ..review.clone()
        };
        (Some(review.status), after)
    });
    Ok(Decision {
        entities: vec![kept, merged],
        reviews: opened.into_iter().collect(),
        ..Decision::default()
    })
}

fn not_reversible(problem: String) -> KnowledgeError {
    KnowledgeError::NotReversible { problem }
}
