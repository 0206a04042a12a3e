//! Names that are resolved in the background.

use std::sync::Arc;
use std::time::Duration;

use countersign_identity::UserId;
use countersign_knowledge::graph::{Deferred, Scope};
use countersign_knowledge::{Entity, Namespace};
use serde_json::{Value, json};

use super::memory::Memory;
use super::{call, officers, run, wait};
use crate::{PutOff, Settled, give_up, settle};

const MINUTE: Duration = Duration::from_secs(60);

fn put_off(graph: &Arc<Memory>) -> Value {
    let output = run(graph, &call(1, "k", &officers(), &json!({"within_seconds": 0}))).unwrap();
    assert_eq!((&output["pending"], &output["resolved"]), (&json!(4), &json!([])));
    assert!(output["warnings"][0].as_str().unwrap().contains("in the background"), "{output}");
    output
}

/// Settles everything that waits, once.
fn sweep(graph: &Arc<Memory>, within: Duration) -> Vec<Settled> {
    over_all(graph, |of| wait(settle(of, within)).unwrap())
}

/// Does something with everything that waits, once.
fn over_all(graph: &Arc<Memory>, work: impl Fn(PutOff<'_>) -> Settled) -> Vec<Settled> {
    let owner = UserId::from_bytes([1; 16]);
    let waiting = graph.state.lock().unwrap().deferred.clone();
    let scope = Scope { owner: owner.clone(), namespace: Namespace::default() };
    let one = |(key, deferred): (String, Deferred)| {
        let key = key.trim_start_matches(owner.as_str());
        let now = deferred.at;
        work(PutOff { graph: graph.as_ref(), scope: &scope, key, deferred: &deferred, now })
    };
    waiting.into_iter().map(one).collect()
}

/// Entities, relationships, reviews of the graph.
fn size(graph: &Memory) -> (usize, usize, usize) {
    let state = graph.state.lock().unwrap();
    (state.entities.len(), state.edges.len(), state.reviews.len())
}

#[test]
fn f_250_names_that_take_too_long_are_resolved_in_the_background_once() {
    let graph = Arc::new(Memory::default());
    let told = put_off(&graph);
    assert_eq!(size(&graph), (0, 0, 0));
    // The step again, before anybody has looked: it is told the same and puts nothing off twice.
    assert_eq!(put_off(&graph), told);
    assert_eq!(sweep(&graph, MINUTE), [Settled::Stored]);
    let writes = graph.state.lock().unwrap().writes;
    // As when it had been resolved at once.
    let at_once = Arc::new(Memory::default());
    let answer = run(&at_once, &call(1, "k", &officers(), &json!({}))).unwrap();
    assert_eq!(size(&graph), size(&at_once));
    assert_eq!(run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap(), answer);
    assert_eq!(sweep(&graph, MINUTE), []);
    assert_eq!(graph.state.lock().unwrap().writes, writes);
}

#[test]
fn f_250_what_takes_too_long_in_the_background_too_is_taken_apart() {
    let graph = Arc::new(Memory::default());
    put_off(&graph);
    assert_eq!(sweep(&graph, Duration::ZERO), [Settled::Split]);
    assert_eq!(graph.state.lock().unwrap().deferred.len(), 2);
    assert_eq!(sweep(&graph, MINUTE), [Settled::Stored, Settled::Stored]);
    let (entities, edges, _) = size(&graph);
    assert_eq!((entities, edges), (4, 3));
}

#[test]
fn f_250_a_name_that_cannot_be_taken_apart_waits_and_is_not_lost() {
    let graph = Arc::new(Memory::default());
    let one = json!({"entities": [{"name": "Owl Fund", "type": "ORG"}]});
    run(&graph, &call(1, "k", &one, &json!({"within_seconds": 0}))).unwrap();
    assert_eq!(sweep(&graph, Duration::ZERO), [Settled::Waiting]);
    assert_eq!(sweep(&graph, MINUTE), [Settled::Stored]);
}

/// One record with an organisation and its officers, as `extract_entities` gives it.
fn one_record() -> Value {
    let end = json!({"name": "Owl Fund", "type": "ORG"});
    let officer = |name: &str| json!({"name": name, "type": "PERSON", "source_record_index": 0, "relationship_type": "OFFICER_OF", "related_to": end});
    let org = json!({"name": "Owl Fund", "type": "ORG", "source_record_index": 0});
    json!({"entities": [org, officer("Ann Lee"), officer("Bob Smith"), officer("Carla Diaz")]})
}

#[test]
fn f_250_one_record_that_takes_too_long_is_taken_apart_and_keeps_its_relationships() {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "k", &one_record(), &json!({"within_seconds": 0}))).unwrap();
    assert_eq!(sweep(&graph, Duration::ZERO), [Settled::Split]);
    assert_eq!(sweep(&graph, Duration::ZERO), [Settled::Split, Settled::Split]);
    assert_eq!(sweep(&graph, Duration::ZERO), [Settled::Waiting; 4], "one name each");
    assert_eq!(sweep(&graph, MINUTE), [Settled::Stored; 4]);
    let at_once = Arc::new(Memory::default());
    run(&at_once, &call(1, "k", &one_record(), &json!({}))).unwrap();
    assert_eq!(size(&graph), size(&at_once));
    assert_eq!(size(&graph).1, 3, "every officer is one of the organisation");
}

#[test]
fn f_250_what_cannot_be_resolved_is_given_up_and_says_so() {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "k", &one_record(), &json!({"within_seconds": 0}))).unwrap();
    let why = "it was begun 5 times";
    let given_up = over_all(&graph, |of| wait(give_up(of, why, MINUTE)).unwrap());
    assert_eq!(given_up, [Settled::Stored]);
    assert_eq!((size(&graph), sweep(&graph, MINUTE)), ((0, 0, 0), Vec::new()));
    let rows = graph.state.lock().unwrap().rows.len();
    assert_eq!(rows, 4, "a row for each name");
    let told = run(&graph, &call(1, "k", &one_record(), &json!({}))).unwrap();
    assert_eq!(told["warnings"][0], "4 names are given up: it was begun 5 times", "{told}");
}

/// Two people of one name with numbers of their own, each met by a call of its own, and planned at once.
fn numbered(npi: &str) -> Value {
    json!({"entities": [{"name": "Ann Lee", "type": "PERSON", "external_ids": {"npi": npi}}]})
}

/// What the graph would have of the first, had it been alone.
fn alone(npi: &str) -> Vec<Entity> {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "alone", &numbered(npi), &json!({}))).unwrap();
    let state = graph.state.lock().unwrap();
    state.entities.values().cloned().collect()
}

/// The canonical names of the graph, and the numbers of each.
fn people(graph: &Memory) -> Vec<(String, usize)> {
    let state = graph.state.lock().unwrap();
    let entities = state.entities.values();
    let mut all: Vec<(String, usize)> =
        entities.map(|one| (one.canonical_name.clone(), one.external_ids.len())).collect();
    all.sort();
    all
}

#[test]
fn k_71_two_of_one_name_who_are_planned_at_once_stay_two() {
    let graph = Arc::new(Memory::default());
    graph.state.lock().unwrap().meanwhile = alone("1");
    let output = run(&graph, &call(1, "k", &numbered("2"), &json!({}))).unwrap();
    let two = [("Ann Lee".to_owned(), 1), ("Ann Lee (NPI 2)".to_owned(), 1)];
    assert_eq!((people(&graph).as_slice(), &output["pending"]), (two.as_slice(), &json!(0)));
    assert_eq!(output["resolved"][0]["canonical_name"], "Ann Lee (NPI 2)", "{output:#}");
    // The same in the background.
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "k", &numbered("2"), &json!({"within_seconds": 0}))).unwrap();
    graph.state.lock().unwrap().meanwhile = alone("1");
    assert_eq!(sweep(&graph, MINUTE), [Settled::Again]);
    assert_eq!(sweep(&graph, MINUTE), [Settled::Stored]);
    assert_eq!(people(&graph), two);
}
