//! Names that are resolved in the background.

use std::sync::Arc;
use std::time::Duration;

use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_knowledge::graph::Scope;
use serde_json::{Value, json};

use super::memory::Memory;
use super::{call, officers, run, wait};
use crate::{Settled, settle};

const MINUTE: Duration = Duration::from_secs(60);

fn put_off(graph: &Arc<Memory>) -> Value {
    let output = run(graph, &call(1, "k", &officers(), &json!({"within_seconds": 0}))).unwrap();
    assert_eq!((&output["pending"], &output["resolved"]), (&json!(4), &json!([])));
    assert!(output["warnings"][0].as_str().unwrap().contains("in the background"), "{output}");
    output
}

/// Settles everything that waits, once.
fn sweep(graph: &Arc<Memory>, within: Duration) -> Vec<Settled> {
    let owner = UserId::from_bytes([1; 16]);
    let waiting = graph.state.lock().unwrap().deferred.clone();
    let scope = Scope { owner: owner.clone(), namespace: Namespace::default() };
    let settle = |(key, deferred): (String, countersign_knowledge::graph::Deferred)| {
        let key = key.trim_start_matches(owner.as_str()).to_owned();
        wait(settle(graph.as_ref(), &scope, &key, &deferred, within)).unwrap()
    };
    waiting.into_iter().map(settle).collect()
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
fn f_250_a_record_that_cannot_be_taken_apart_waits_and_is_not_lost() {
    let graph = Arc::new(Memory::default());
    let one = json!({"entities": [{"name": "Owl Fund", "type": "ORG"}]});
    run(&graph, &call(1, "k", &one, &json!({"within_seconds": 0}))).unwrap();
    assert_eq!(sweep(&graph, Duration::ZERO), [Settled::Waiting]);
    assert_eq!(sweep(&graph, MINUTE), [Settled::Stored]);
}
