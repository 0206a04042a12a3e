//! One entity is two.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, json};

use super::{Decider, Decision, review_id};
use crate::change::entity_id;
use crate::decided::Decided;
use crate::error::KnowledgeError;
use crate::fold::squeeze;
use crate::model::{Entity, EntityId, EntityType, ExternalId, Taken};
use crate::resolve::naming::canonical;
use crate::rows::{ResolutionAction, ResolutionLogRow, ReviewRow, ReviewStatus};
use crate::scope::Scope;

/// So many names are tried for an entity that a split makes.
const MAX_NUMBERED: u32 = 20;

/// What is taken from an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Spellings, at least one.
    pub names: BTreeSet<String>,
    /// Identifiers that belong to them.
    pub external_ids: BTreeSet<ExternalId>,
}

/// The names that an entity of this kind with these spellings can have, best first, with the id that each gives it; also those
/// that another has.
#[must_use]
pub fn names_for(
    scope: &Scope,
    kind: &EntityType,
    spellings: &BTreeSet<String>,
) -> Vec<(String, EntityId)> {
    let spellings: BTreeMap<&str, usize> =
        spellings.iter().map(|name| (name.as_str(), 1)).collect();
    let base = canonical(kind, &spellings);
    let numbered = (2..=MAX_NUMBERED).map(|number| format!("{base} ({number})"));
    let names = std::iter::once(base.clone()).chain(numbered);
    names
        .map(|name| {
            let id = entity_id(&scope.owner, &scope.namespace, kind, &name);
            (name, id)
        })
        .collect()
}

/// Takes spellings from an entity and makes one of its own of them (K-72). What runs read under these spellings goes with
/// them; the pair is never asked about again.
///
/// # Errors
/// [`KnowledgeError::SplitImpossible`] when a spelling is not its own, nothing would be left, or no name is free.
pub fn split(
    by: &Decider,
    decided: &Decided,
    id: &EntityId,
    cut: &Cut,
) -> Result<Decision, KnowledgeError> {
    let impossible = |problem: String| KnowledgeError::SplitImpossible { problem };
    let mut entity = decided
        .get(id)
        .cloned()
        .ok_or_else(|| impossible(format!("`{id}` is not in this graph")))?;
    check(decided, &entity, cut).map_err(impossible)?;
    let names = names_for(&by.scope, &entity.entity_type, &cut.names);
    let free = names.into_iter().find(|(_, id)| decided.get(id).is_none());
    let (name, made) =
        free.ok_or_else(|| impossible(format!("{MAX_NUMBERED} others go by that name")))?;
    let made = made_of(by, &entity, cut, name, made);
    let taken = Taken { names: cut.names.clone(), external_ids: cut.external_ids.clone() };
    entity.split_off.insert(made.id.clone(), taken);
    entity.aliases.retain(|name| !cut.names.contains(name));
    entity.external_ids.retain(|id| !cut.external_ids.contains(id));
    if cut.names.contains(&entity.name) {
        entity.name.clone_from(&entity.canonical_name);
    }
    entity.updated_at = by.at;
    let (log, review) = (row(by, &entity, &made, cut), apart(by, &entity, &made));
    Ok(Decision {
        entities: vec![entity, made],
        log: Some(log),
        reviews: vec![(None, review)],
        ..Decision::default()
    })
}

fn check(decided: &Decided, entity: &Entity, cut: &Cut) -> Result<(), String> {
    if cut.names.is_empty() {
        return Err("no spelling is named".to_owned());
    }
    let own = entity.spellings();
    for name in &cut.names {
        if squeeze(name) == entity.canonical_name {
            return Err(format!("`{name}` is the name that it goes by; take the other spellings"));
        }
        if own.contains(name) {
            continue;
        }
        let group = decided.group(&entity.id);
        let mut members = group.iter().filter_map(|id| decided.get(id));
        let of = members.find(|member| member.spellings().contains(name));
        return Err(match of {
            Some(member) => format!(
                "`{name}` came with `{}`, which was merged into it: reverse that merge, or split `{}`",
                member.canonical_name, member.id
            ),
            None => format!("`{name}` is not one of its spellings"),
        });
    }
    match cut.external_ids.iter().find(|id| !entity.external_ids.contains(id)) {
        Some(id) => Err(format!("`{}:{}` is not one of its identifiers", id.scheme, id.value)),
        None => Ok(()),
    }
}

/// Where and with whom the spellings were seen is not known apart, so the new entity begins without.
fn made_of(by: &Decider, entity: &Entity, cut: &Cut, name: String, id: EntityId) -> Entity {
    let first = cut.names.first().cloned().unwrap_or_default();
    Entity {
        id,
        name: first,
        aliases: cut.names.iter().filter(|alias| **alias != name).cloned().collect(),
        canonical_name: name,
        external_ids: cut.external_ids.clone(),
        context: BTreeSet::new(),
        places: BTreeSet::new(),
        mentioned_in: BTreeMap::new(),
        merged_into: None,
        members: BTreeSet::new(),
        split_from: Some(entity.id.clone()),
        split_off: BTreeMap::new(),
        created_at: by.at,
        updated_at: by.at,
        ..entity.clone()
    }
}

fn row(by: &Decider, entity: &Entity, made: &Entity, cut: &Cut) -> ResolutionLogRow {
    let mut details = Map::from_iter([("names".to_owned(), json!(cut.names))]);
    if !cut.external_ids.is_empty() {
        details.insert("external_ids".to_owned(), json!(cut.external_ids));
    }
    let row = by.row(ResolutionAction::UserSplit, made, entity);
    ResolutionLogRow { match_details: details, ..row }
}

/// The answer to the question whether the two are one: a person has said no.
fn apart(by: &Decider, entity: &Entity, made: &Entity) -> ReviewRow {
    ReviewRow {
        id: review_id(&by.scope, &entity.id, &made.id),
        user_id: by.scope.owner.clone(),
        execution_id: String::new(),
        source_entity_name: made.canonical_name.clone(),
        source_entity_type: made.entity_type.clone(),
        source_entity_id: made.id.clone(),
        candidate_entity_name: entity.canonical_name.clone(),
        candidate_entity_id: entity.id.clone(),
        confidence: 1.0,
        match_details: Map::from_iter([("reason".to_owned(), json!("user_split"))]),
        context: Map::new(),
        status: ReviewStatus::Rejected,
        reviewed_at: Some(by.at),
        reviewed_by: Some(by.person.clone()),
        log_id: None,
        created_at: by.at,
    }
}
