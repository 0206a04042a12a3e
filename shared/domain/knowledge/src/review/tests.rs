use std::collections::{BTreeMap, BTreeSet};

use countersign_identity::UserId;
use serde_json::{Map, json};

use super::{Cut, Decider, Decision, answer_review, approve, merge, reverse, review_id, split};
use crate::change::entity_id;
use crate::decided::Decided;
use crate::error::KnowledgeError;
use crate::model::{
    Edge, Entity, EntityId, EntityType, Namespace, Provenance, Relationship, Stated,
};
use crate::rows::{
    LogId, MatchMethod, ResolutionAction, ResolutionLogRow, ReviewRow, ReviewStatus,
};
use crate::scope::Scope;

fn scope() -> Scope {
    Scope { owner: UserId::from_bytes([7; 16]), namespace: Namespace::default() }
}

fn at(second: u8) -> jiff::Timestamp {
    format!("2026-11-21T10:00:{second:02}Z").parse().unwrap()
}

fn by(second: u8) -> Decider {
    Decider { scope: scope(), person: UserId::from_bytes([8; 16]), at: at(second) }
}

pub(crate) fn entity(name: &str, aliases: &[&str]) -> Entity {
    let Scope { owner, namespace } = scope();
    Entity {
        id: entity_id(&owner, &namespace, &EntityType::Person, name),
        user_id: owner,
        namespace,
        name: name.to_owned(),
        canonical_name: name.to_owned(),
        entity_type: EntityType::Person,
        subtype: None,
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        external_ids: BTreeSet::new(),
        context: BTreeSet::new(),
        places: BTreeSet::new(),
        confidence: 0.9,
        first_seen: at(0),
        last_seen: at(0),
        sources: BTreeSet::from(["run_1".to_owned()]),
        source_count: 1,
        discovered_by: BTreeMap::new(),
        mentioned_in: BTreeMap::new(),
        merged_into: None,
        members: BTreeSet::new(),
        split_from: None,
        split_off: BTreeMap::new(),
        merged_names: BTreeSet::new(),
        counted_with: BTreeSet::new(),
        created_at: at(0),
        updated_at: at(0),
    }
}

/// An edge that was read under each of these names of its nearer end.
pub(crate) fn edge(from: &EntityId, to: &EntityId, names: &[&str]) -> Edge {
    let reading = |(index, name): (usize, &&str)| Provenance {
        execution_id: "run_1".to_owned(),
        source_record_index: index,
        source_field: "name".to_owned(),
        connector: Some("filings".to_owned()),
        endpoint: None,
        source_id: None,
        from_name: Some((*name).to_owned()),
        to_name: None,
        retrieved_at: at(0),
        properties: Stated::default(),
    };
    let names = if names.is_empty() { &[""] } else { names };
    Edge {
        from: from.clone(),
        relationship: Relationship::RelatedTo,
        to: to.clone(),
        properties: Map::new(),
        confidence: 0.9,
        provenance: names.iter().enumerate().map(reading).collect(),
        is_cut: false,
        differed: BTreeMap::new(),
        first_seen: at(0),
        last_seen: at(0),
    }
}

fn graph(entities: &[&Entity]) -> Decided {
    let mut decided = Decided::default();
    decided.add(BTreeSet::new(), entities.iter().map(|entity| (*entity).clone()).collect());
    decided
}

/// The graph after a decision.
fn after(mut decided: Decided, decision: &Decision) -> Decided {
    decided.add(BTreeSet::new(), decision.entities.clone());
    decided
}

fn review(one: &Entity, other: &Entity) -> ReviewRow {
    ReviewRow {
        id: review_id(&scope(), &one.id, &other.id),
        user_id: scope().owner,
        execution_id: "run_1".to_owned(),
        source_entity_name: one.canonical_name.clone(),
        source_entity_type: one.entity_type.clone(),
        source_entity_id: one.id.clone(),
        candidate_entity_name: other.canonical_name.clone(),
        candidate_entity_id: other.id.clone(),
        confidence: 0.78,
        match_details: Map::from_iter([("jaro_winkler".to_owned(), json!(0.8))]),
        context: Map::new(),
        status: ReviewStatus::Pending,
        reviewed_at: None,
        reviewed_by: None,
        log_id: None,
        created_at: at(0),
    }
}

fn names(entities: &[Entity]) -> Vec<&str> {
    entities.iter().map(|entity| entity.canonical_name.as_str()).collect()
}

#[test]
fn f_353_an_approved_review_makes_one_of_two_and_says_who_decided() {
    let (one, other) = (entity("J Smith", &["J. SMITH"]), entity("John Smith", &["SMITH, JOHN"]));
    let before = graph(&[&one, &other]);
    let decision = approve(&by(1), &before, &review(&one, &other), Some(&other.id)).unwrap();
    let row = decision.log.clone().unwrap();
    assert_eq!((row.action, row.decided_by), (ResolutionAction::UserMerge, Some(by(1).person)));
    assert_eq!((row.target_entity_id, row.is_reversible), (other.id.clone(), true));
    let (was, reviewed) = &decision.reviews[0];
    assert_eq!((*was, reviewed.status), (Some(ReviewStatus::Pending), ReviewStatus::ApprovedMerge));
    assert_eq!((reviewed.reviewed_at, &reviewed.log_id), (Some(at(1)), &Some(row.id)));
    let now = after(before, &decision);
    let views = now.views();
    assert_eq!(names(&views), ["John Smith"]);
    let aliases: Vec<&String> = views[0].aliases.iter().collect();
    assert_eq!(aliases, ["J Smith", "J. SMITH", "SMITH, JOHN"]);
    assert_eq!(*now.root(&one.id), other.id);
    // The same answer again writes nothing.
    let again = approve(&by(2), &now, reviewed, None).unwrap();
    assert_eq!(again, Decision::default());
}

#[test]
fn f_248_a_rejected_review_is_closed_and_a_skipped_one_is_not() {
    let (one, other) = (entity("J Smith", &[]), entity("John Smith", &[]));
    let review = review(&one, &other);
    let answered = |status| answer_review(&by(1), &review, status).unwrap().reviews.remove(0).1;
    let rejected = answered(ReviewStatus::Rejected);
    assert_eq!(rejected.reviewed_by, Some(by(1).person));
    let graph = graph(&[&one, &other]);
    let refused = approve(&by(2), &graph, &rejected, None).unwrap_err();
    assert_eq!(refused, KnowledgeError::ReviewClosed { status: "rejected" });
    let skipped = answered(ReviewStatus::Skipped);
    assert!(approve(&by(2), &graph, &skipped, None).is_ok());
}

#[test]
fn f_356_a_reversed_merge_leaves_what_was_before() {
    let (one, other) = (entity("J Smith", &["J. SMITH"]), entity("John Smith", &[]));
    let before = graph(&[&one, &other]);
    let decision = approve(&by(1), &before, &review(&one, &other), None).unwrap();
    let merged = after(before.clone(), &decision);
    let (row, reviewed) = (decision.log.unwrap(), &decision.reviews[0].1);
    let undone = reverse(&by(2), &merged, &row, Some(reviewed)).unwrap();
    assert_eq!(undone.reviews[0].1.status, ReviewStatus::Pending, "it is asked again");
    let reversed = undone.reversed.clone().unwrap();
    assert_eq!((reversed.reversed_at, &reversed.reversed_by), (Some(at(2)), &Some(by(2).person)));
    let now = after(merged, &undone);
    let plain = |entity: Entity| Entity { updated_at: at(0), ..entity };
    let views: Vec<Entity> = now.views().into_iter().map(plain).collect();
    assert_eq!(views, before.views());
    let twice = reverse(&by(3), &now, &reversed, None).unwrap_err();
    assert!(matches!(twice, KnowledgeError::NotReversible { .. }), "{twice}");
}

#[test]
fn k_72_a_split_takes_spellings_and_what_was_read_under_them() {
    let (john, fund) = (entity("John Smith", &["SMITH, JON", "J SMITH"]), entity("Fund", &[]));
    let before = graph(&[&john, &fund]);
    let stored = [edge(&john.id, &fund.id, &["John Smith", "SMITH, JON"])];
    let cut =
        Cut { names: BTreeSet::from(["SMITH, JON".to_owned()]), external_ids: BTreeSet::new() };
    let decision = split(&by(1), &before, &john.id, &cut).unwrap();
    let made = decision.entities[1].clone();
    assert_eq!(
        (made.canonical_name.as_str(), &made.split_from),
        ("Jon Smith", &Some(john.id.clone()))
    );
    assert_eq!(decision.reviews[0].1.status, ReviewStatus::Rejected, "the two are not asked about");
    let now = after(before, &decision);
    let ends: Vec<(EntityId, usize)> =
        now.edges(&stored).into_iter().map(|edge| (edge.from, edge.provenance.len())).collect();
    let mut expect = vec![(john.id.clone(), 1), (made.id.clone(), 1)];
    expect.sort();
    assert_eq!(ends, expect);
    assert!(now.edge_holders(&made.id).contains(&john.id));
    let counted_with = |now: &Decided, id| now.view(id).unwrap().counted_with;
    assert_eq!(counted_with(&now, &john.id), BTreeSet::from([made.id.clone()]));
    assert_eq!(counted_with(&now, &made.id), BTreeSet::from([john.id.clone()]));
    // A run that planned before the split does not bring the spelling back.
    let mut late = now.get(&john.id).unwrap().clone();
    late.absorb(&john);
    assert!(!late.aliases.contains("SMITH, JON"));
    // Reversing makes them one again, with all that was read.
    let undone = reverse(&by(2), &now, &decision.log.unwrap(), None).unwrap();
    assert_eq!(undone.log.as_ref().unwrap().action, ResolutionAction::UserMerge);
    let now = after(now, &undone);
    let edges = now.edges(&stored);
    assert_eq!((edges.len(), edges[0].provenance.len()), (1, 2));
    assert!(now.view(&john.id).unwrap().aliases.contains("SMITH, JON"));
    assert_eq!(counted_with(&now, &john.id), BTreeSet::new());
}

#[test]
fn f_247_what_a_run_joined_is_taken_apart_again() {
    let john = entity("John Smith", &["SMITH, JON"]);
    let row = ResolutionLogRow {
        id: LogId::from_bytes([3; 16]),
        user_id: scope().owner,
        execution_id: "run_1".to_owned(),
        action: ResolutionAction::AutoMerge,
        source_entity_name: "John Smith".to_owned(),
        source_entity_type: EntityType::Person,
        source_entity_id: None,
        target_entity_name: "John Smith".to_owned(),
        target_entity_id: john.id.clone(),
        confidence: 0.93,
        match_method: Some(MatchMethod::FuzzyName),
        match_details: Map::from_iter([("matched_with".to_owned(), json!("SMITH, JON"))]),
        review_id: None,
        decided_by: None,
        is_reversible: true,
        reversed_at: None,
        reversed_by: None,
        created_at: at(0),
    };
    let undone = reverse(&by(1), &graph(&[&john]), &row, None).unwrap();
    assert_eq!(undone.log.unwrap().action, ResolutionAction::UserSplit);
    assert_eq!(undone.reversed.unwrap().reversed_at, Some(at(1)));
    assert!(undone.entities[1].spellings().contains(&"SMITH, JON".to_owned()));
    let made = ResolutionLogRow { action: ResolutionAction::CreateNew, ..row };
    assert!(reverse(&by(1), &graph(&[&john]), &made, None).is_err());
}

#[test]
fn f_249_what_cannot_be_merged_or_split_is_said() {
    let (john, mut fund) = (entity("John Smith", &["J SMITH"]), entity("Fund", &[]));
    fund.entity_type = EntityType::Org;
    let graph = graph(&[&john, &fund]);
    let gone = EntityId::from_bytes([9; 16]);
    for other in [&fund.id, &john.id, &gone] {
        let refused = merge(&by(1), &graph, [&john.id, other], None).unwrap_err();
        assert!(matches!(refused, KnowledgeError::MergeImpossible { .. }), "{refused}");
    }
    for name in ["John Smith", "Somebody else"] {
        let cut = Cut { names: BTreeSet::from([name.to_owned()]), external_ids: BTreeSet::new() };
        let refused = split(&by(1), &graph, &john.id, &cut).unwrap_err();
        assert!(matches!(refused, KnowledgeError::SplitImpossible { .. }), "{refused}");
    }
}
