use std::collections::BTreeSet;

use countersign_identity::UserId;
use proptest::prelude::*;
use serde_json::json;

use super::{Changes, Origin, answer, changes, mentions};
use crate::extract::Extracted;
use crate::model::{Entity, Namespace};
use crate::resolve::{Settings, resolve};
use crate::rows::{ResolutionAction, ReviewStatus};

fn origin(key: &str) -> Origin {
    Origin {
        owner: UserId::from_bytes([7; 16]),
        namespace: Namespace::default(),
        run: "run_1".to_owned(),
        idempotency_key: key.to_owned(),
        now: "2026-11-21T10:00:00Z".parse().unwrap(),
    }
}

fn officers(names: &[&str]) -> Vec<Extracted> {
    let one = |(index, name): (usize, &&str)| {
        json!({"name": name, "type": "PERSON", "source_field": "name", "source_record_index": index,
            "relationship_type": "OFFICER_OF", "related_to": {"name": "OWL FUND INC", "type": "ORG"}, "attributes": {"title": "CHAIR"}})
    };
    names.iter().enumerate().map(one).map(|value| serde_json::from_value(value).unwrap()).collect()
}

fn plan(names: &[&str]) -> (Changes, serde_json::Value) {
    let entities = officers(names);
    let mentions = mentions(&entities);
    let resolution = resolve(&mentions, &[], &Settings::default()).unwrap();
    (
        changes(&origin("k"), &entities, &mentions, &resolution, &[]),
        answer(&origin("k"), entities.len(), &resolution),
    )
}

#[test]
fn f_259_an_officer_becomes_a_node_an_edge_and_its_provenance() {
    let (changes, answer) = plan(&["SMITH, ROBERT", "Bob Smith"]);
    let names: Vec<&str> = changes.entities.iter().map(|e| e.canonical_name.as_str()).collect();
    assert_eq!(names, ["Robert Smith", "OWL FUND INC"]);
    assert_eq!(changes.edges.len(), 1);
    let edge = &changes.edges[0];
    assert_eq!((&edge.from, &edge.to), (&changes.entities[0].id, &changes.entities[1].id));
    assert_eq!(
        (edge.agreed().properties["title"].as_str(), edge.provenance.len()),
        (Some("CHAIR"), 2)
    );
    assert_eq!(answer["merge_count"], 1);
    assert_eq!(
        answer["resolved"].as_array().unwrap().len(),
        1,
        "the far end was not given as an entity"
    );
}

#[test]
fn f_247_every_decision_is_logged_and_a_doubt_is_asked() {
    let (changes, answer) = plan(&["J SMITH", "JOHN SMITH", "SMITH, JOHN"]);
    let count = |action| changes.log.iter().filter(|row| row.action == action).count();
    assert_eq!(
        (
            count(ResolutionAction::CreateNew),
            count(ResolutionAction::AutoMerge),
            count(ResolutionAction::FlagReview)
        ),
        (3, 1, 1)
    );
    assert_eq!((changes.reviews.len(), changes.reviews[0].status), (1, ReviewStatus::Pending));
    assert_eq!(answer["ambiguous"][0]["candidate"], "John Smith");
    assert!(
        changes
            .log
            .iter()
            .filter(|row| row.action == ResolutionAction::AutoMerge)
            .all(|row| row.is_reversible)
    );
}

#[test]
fn the_same_call_plans_the_same_writes_with_distinct_ids() {
    let (one, other) = (plan(&["J SMITH", "JOHN SMITH"]).0, plan(&["J SMITH", "JOHN SMITH"]).0);
    assert_eq!(one, other);
    let ids: BTreeSet<_> = one.log.iter().map(|row| &row.id).collect();
    assert_eq!(ids.len(), one.log.len());
    let ids: BTreeSet<_> = one.discoveries.iter().map(|d| &d.id).collect();
    assert_eq!(ids.len(), one.discoveries.len());
}

fn entities() -> impl Strategy<Value = Entity> {
    let names = prop::collection::btree_set("[A-C]{1,2}", 0..4);
    (names.clone(), names.clone(), names, 0_i64..9, 0_u8..10).prop_map(
        |(aliases, sources, context, day, sure)| {
            let mut entity = plan(&["JOHN SMITH"]).0.entities.remove(0);
            let at = entity.first_seen + jiff::SignedDuration::from_hours(24 * day);
            entity.source_count = sources.len();
            (entity.aliases, entity.sources, entity.context) = (aliases, sources, context);
            (entity.first_seen, entity.last_seen, entity.created_at, entity.updated_at) =
                (at, at, at, at);
            entity.confidence = f64::from(sure) / 10.0;
            entity
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn joining_entities_is_idempotent_and_commutes(a in entities(), b in entities()) {
        let join = |x: &Entity, y: &Entity| { let mut x = x.clone(); x.absorb(y); x };
        let ab = join(&a, &b);
        prop_assert_eq!(&ab, &join(&b, &a));
        prop_assert_eq!(&ab, &join(&ab, &b));
    }
}

#[test]
fn f_274_the_parts_of_a_plan_are_the_plan_in_its_order() {
    let (whole, _) = plan(&["SMITH, ROBERT", "Bob Smith", "Ann Lee", "J DOE", "JANE DOE"]);
    assert!(!whole.reviews.is_empty() && whole.count() > 15, "{whole:#?}");
    for most in [1, 2, 3, 1_000] {
        let mut joined = Changes::default();
        for part in whole.parts(most) {
            assert!(part.count() <= most);
            assert!(part.entities.is_empty() || joined.edges.is_empty(), "entities come first");
            joined.entities.extend(part.entities);
            joined.edges.extend(part.edges);
            joined.log.extend(part.log);
            joined.discoveries.extend(part.discoveries);
            joined.reviews.extend(part.reviews);
        }
        assert_eq!(joined, whole, "{most}");
    }
}

#[test]
fn f_254_f_256_f_268_f_269_entities_and_edges_say_their_source_and_their_document() {
    let one = |index: usize, name: &str, file: &str| {
        json!({"name": name, "type": "PERSON", "source_field": "name", "source_record_index": index, "confidence": 0.9,
            "relationship_type": "OFFICER_OF", "related_to": {"name": "OWL FUND INC", "type": "ORG"}, "context": ["OWL FUND"],
            "source_connector": "filings", "source_endpoint": "officers", "retrieved_at": "2026-11-20T10:00:00Z",
            "document": {"reference": file, "title": "a.xml", "doc_type": "xml", "section": "name"}})
    };
    let found = [
        one(0, "SMITH, ROBERT", "file_a"),
        one(1, "Bob Smith", "file_a"),
        one(2, "Bob Smith", "file_b"),
    ];
    let entities: Vec<Extracted> =
        found.into_iter().map(|one| serde_json::from_value(one).unwrap()).collect();
    let mentions = mentions(&entities);
    let resolution = resolve(&mentions, &[], &Settings::default()).unwrap();
    let changes = changes(&origin("k"), &entities, &mentions, &resolution, &[]);
    assert_eq!((changes.sources.len(), changes.documents.len()), (1, 2), "{changes:#?}");
    let source = &changes.sources[0];
    assert_eq!((source.connector_id.as_str(), source.query.as_ref()), ("filings", None));
    assert_eq!(
        source.retrieved_at,
        "2026-11-20T10:00:00Z".parse().unwrap(),
        "when it was read, not resolved"
    );
    for entity in &changes.entities {
        assert_eq!(
            entity.discovered_by.keys().collect::<Vec<_>>(),
            [&source.id],
            "the far end too"
        );
        let mut counts: Vec<usize> = entity.mentioned_in.values().map(|one| one.count).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2], "{entity:#?}");
    }
    let readings = &changes.edges[0].provenance;
    assert!(readings.iter().all(|reading| reading.source_id.as_ref() == Some(&source.id)));
    // A plan that was stored before there were sources can still be read.
    let mut stored = serde_json::to_value(&changes).unwrap();
    stored
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !["sources", "documents"].contains(&key.as_str()));
    for key in ["discovered_by", "mentioned_in"] {
        stored["entities"][0].as_object_mut().unwrap().remove(key);
    }
    let read: Changes = serde_json::from_value(stored).unwrap();
    assert!(read.sources.is_empty() && read.entities[0].mentioned_in.is_empty());
}
