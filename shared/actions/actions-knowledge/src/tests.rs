mod later;
mod memory;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use countersign_identity::UserId;
use countersign_knowledge::ReviewId;
use countersign_knowledge::explore::Explore;
use countersign_knowledge::graph::Graph;
use countersign_registry::action::{ActionError, Asking, Call, Handler, RunInfo};
use serde_json::{Value, json};

use self::memory::Memory;
use super::ProfileNamespaces;

fn call(owner: u8, key: &str, inputs: &Value, params: &Value) -> Call {
    let owner = UserId::from_bytes([owner; 16]);
    let now = "2026-11-21T10:00:00Z".parse().unwrap();
    let info = RunInfo {
        profile_id: "prof_1".to_owned(),
        profile_name: "Investigator".to_owned(),
        playbook_id: None,
        query: String::new(),
        run_context: "interactive".to_owned(),
        dry_run: false,
        invoked_by: owner.clone(),
        team: None,
        started_at: now,
        monitor: None,
        warnings: Vec::new(),
    };
    Call {
        run: "run_1".to_owned(),
        step: "resolve".to_owned(),
        owner,
        action: "resolve_entities".to_owned(),
        inputs: inputs.as_object().cloned().unwrap(),
        params: params.as_object().cloned().unwrap(),
        idempotency_key: key.to_owned(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now,
        remaining: Duration::from_secs(60),
        info,
    }
}

fn actions(graph: &Arc<Memory>) -> Vec<Arc<dyn Handler>> {
    super::actions(&super::Stores {
        graph: Arc::clone(graph) as Arc<dyn Graph>,
        explore: Arc::clone(graph) as Arc<dyn Explore>,
        profiles: Arc::clone(graph) as Arc<dyn ProfileNamespaces>,
    })
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(work)
}

fn run(graph: &Arc<Memory>, call: &Call) -> Result<Value, ActionError> {
    let actions = actions(graph);
    wait(actions[0].run(call))
}

fn officers() -> Value {
    let officer = |index: usize, name: &str| {
        json!({"name": name, "type": "PERSON", "source_field": "name", "source_record_index": index, "confidence": 0.97,
            "relationship_type": "OFFICER_OF", "related_to": {"name": "OWL FUND", "type": "ORG"}})
    };
    json!({"entities": [officer(0, "SMITH, ROBERT"), officer(1, "Bob Smith"), officer(2, "J DOE"), officer(3, "JANE DOE")]})
}

#[test]
fn f_048_the_answer_and_the_graph_agree() {
    let graph = Arc::new(Memory::default());
    let output = run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    assert_eq!(output["merge_count"], 1);
    assert_eq!(output["resolved"].as_array().unwrap().len(), 3);
    assert_eq!(output["ambiguous"].as_array().unwrap().len(), 1);
    let state = graph.state.lock().unwrap();
    assert_eq!((state.entities.len(), state.edges.len(), state.reviews.len()), (4, 3, 1));
}

#[test]
fn f_048_a_second_call_answers_the_same_and_writes_nothing() {
    let graph = Arc::new(Memory::default());
    let one = run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    let writes = graph.state.lock().unwrap().writes;
    assert_eq!(run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap(), one);
    assert_eq!(graph.state.lock().unwrap().writes, writes);
}

#[test]
fn k_46_a_test_answers_the_same_and_writes_nothing() {
    let graph = Arc::new(Memory::default());
    let mut tested = call(1, "k", &officers(), &json!({}));
    tested.info.dry_run = true;
    let answer = run(&graph, &tested).unwrap();
    assert_eq!(graph.state.lock().unwrap().writes, 0);
    assert_eq!(run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap(), answer);
}

#[test]
fn f_048_matching_says_what_resolving_would_and_writes_nothing() {
    let graph = Arc::new(Memory::default());
    let mut inputs = officers();
    inputs["records"] = json!(
        ["SMITH, ROBERT", "Bob Smith", "J DOE", "JANE DOE", ""].map(|name| json!({"name": name}))
    );
    let action = &actions(&graph)[1];
    let mut matched = wait(action.run(&call(1, "k", &inputs, &json!({})))).unwrap();
    let records = matched.as_object_mut().unwrap().remove("records").unwrap();
    assert_eq!(graph.state.lock().unwrap().writes, 0);
    let mut resolved = run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    for written in ["relationships", "new_relationships", "pending"] {
        resolved.as_object_mut().unwrap().remove(written);
    }
    assert_eq!(resolved, matched);
    let ids: Vec<&Value> = records.as_array().unwrap().iter().map(|r| &r["_entity_id"]).collect();
    assert!(ids[0] == ids[1] && ids[0].is_string() && ids[2] != ids[3], "{records:#}");
    assert_eq!((ids[4], &records[1]["_entity_name"]), (&Value::Null, &json!("Robert Smith")));
    assert!(
        matched["resolved"].as_array().unwrap().iter().any(|entity| entity["entity_id"] == *ids[0]),
        "{matched:#}"
    );
}

#[test]
fn f_048_killed_after_any_write_the_retry_gives_one_result() {
    let whole = Arc::new(Memory::default());
    let expect = run(&whole, &call(1, "k", &officers(), &json!({}))).unwrap();
    let writes = whole.state.lock().unwrap().writes;
    for kill in 0..writes {
        let graph = Arc::new(Memory::default());
        graph.state.lock().unwrap().fail_after = Some(kill);
        assert!(run(&graph, &call(1, "k", &officers(), &json!({}))).is_err());
        assert_eq!(
            run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap(),
            expect,
            "killed at {kill}"
        );
        let (state, whole) = (graph.state.lock().unwrap(), whole.state.lock().unwrap());
        assert_eq!(
            (&state.entities, &state.edges, &state.rows, &state.reviews),
            (&whole.entities, &whole.edges, &whole.rows, &whole.reviews)
        );
    }
}

#[test]
fn f_314_what_could_not_be_written_is_pending() {
    let graph = Arc::new(Memory::default());
    graph.state.lock().unwrap().fail_after = Some(3);
    assert!(run(&graph, &call(1, "k", &officers(), &json!({}))).is_err());
    assert!(graph.state.lock().unwrap().pending > 0);
}

#[test]
fn f_048_the_next_run_recognises_what_the_first_one_wrote() {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "first", &officers(), &json!({}))).unwrap();
    let output = run(&graph, &call(1, "second", &officers(), &json!({}))).unwrap();
    assert!(
        output["resolved"].as_array().unwrap().iter().all(|entity| entity["is_known"] == true),
        "{output:#}"
    );
    let state = graph.state.lock().unwrap();
    assert_eq!((state.entities.len(), state.edges.len(), state.reviews.len()), (4, 3, 1));
}

#[test]
fn f_274_another_owners_graph_is_never_met() {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    let output = run(&graph, &call(2, "k", &officers(), &json!({}))).unwrap();
    assert!(
        output["resolved"].as_array().unwrap().iter().all(|entity| entity["is_known"] == false),
        "{output:#}"
    );
}

#[test]
fn f_043_what_was_resolved_is_found_with_what_it_is_connected_with() {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    let search = |inputs: &Value, params: &Value| {
        let mut call = call(1, "s", inputs, params);
        call.action = "search_knowledge_graph".to_owned();
        wait(actions(&graph)[2].run(&call))
    };
    let names = ["Róbert", "Nobody"];
    let found = search(&json!({ "entity_names": names }), &json!({})).unwrap();
    assert_eq!(found["entities"][0]["name"], "Robert Smith", "{found:#}");
    assert_eq!((&found["count"], &found["not_found"]), (&json!(4), &json!(["Nobody"])));
    let edges = found["relationships"].as_array().unwrap();
    let of_robert = edges.iter().find(|edge| edge["source"] == "Robert Smith").unwrap();
    assert_eq!(
        (&of_robert["type"], &of_robert["target"]),
        (&json!("OFFICER_OF"), &json!("OWL FUND"))
    );
    let near = search(&json!({"entity_name": "robert"}), &json!({"max_hops": 1})).unwrap();
    assert_eq!(near["count"], 2);
    let alone = json!({"include_related": false, "entity_types": ["PERSON"]});
    assert_eq!(search(&json!({"entity_name": "rob"}), &alone).unwrap()["count"], 1);
    for (inputs, params, code) in [
        (json!({}), json!({}), "BAD_INPUT"),
        (json!({"entity_name": "a"}), json!({"relationship_types": ["KNOWS"]}), "BAD_PARAM"),
        (json!({"entity_name": "a"}), json!({"namespace": "No Such"}), "BAD_PARAM"),
    ] {
        assert_eq!(search(&inputs, &params).unwrap_err().code, code);
    }
}

#[test]
fn f_043_names_of_the_same_words_are_looked_for_once_and_one_call_has_one_budget() {
    let graph = Arc::new(Memory::default());
    run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    let search = |names: &Value| {
        let mut call = call(1, "s", &json!({ "entity_names": names }), &json!({}));
        call.action = "search_knowledge_graph".to_owned();
        wait(actions(&graph)[2].run(&call)).unwrap()
    };
    let found = search(&json!(["Róbert", "robert", "ROBERT Rob", "Nobody", "nobody"]));
    assert_eq!(graph.state.lock().unwrap().searches, 2);
    assert_eq!((&found["count"], &found["warning_count"]), (&json!(4), &json!(0)), "{found:#}");
    assert_eq!(found["not_found"], json!(["Nobody", "nobody"]));
    // One name begins more of them than one call may read: the others are looked for all the same, and it with what they leave.
    graph.state.lock().unwrap().costs = BTreeMap::from([("Jane".to_owned(), 30_000)]);
    let found = search(&json!(["Jane", "Nobody", "Robert", "Someone"]));
    assert_eq!(graph.state.lock().unwrap().searches, 2 + 5);
    assert_eq!((&found["is_cut"], &found["warning_count"]), (&json!(true), &json!(1)));
    assert!(found["warnings"][0].as_str().unwrap().starts_with("`Jane` "), "{found:#}");
    assert_eq!(found["not_found"], json!(["Nobody", "Someone"]), "{found:#}");
    assert!(found["count"].as_u64() >= Some(4), "{found:#}");
    // With less than that it is found to its end.
    graph.state.lock().unwrap().costs = BTreeMap::from([("Jane".to_owned(), 12_000)]);
    let found = search(&json!(["Jane", "Nobody", "Robert", "Someone"]));
    assert_eq!((&found["is_cut"], &found["warning_count"]), (&json!(false), &json!(0)));
}

#[test]
fn f_249_a_rejected_pair_is_not_doubted_again() {
    let graph = Arc::new(Memory::default());
    let first = run(&graph, &call(1, "k", &officers(), &json!({}))).unwrap();
    assert_eq!(first["ambiguous"].as_array().unwrap().len(), 1);
    {
        let mut state = graph.state.lock().unwrap();
        state.rejected = state.reviews.iter().map(|id| ReviewId::parse(id).unwrap()).collect();
    }
    let second = run(&graph, &call(1, "k2", &officers(), &json!({}))).unwrap();
    assert_eq!(second["ambiguous"], json!([]));
}

#[test]
fn f_170_f_274_a_step_works_in_the_parts_of_its_agent() {
    let graph = Arc::new(Memory::default());
    let call_in = |key: &str, params: &Value| {
        let mut call = call(1, key, &officers(), params);
        call.info.profile_id = "prof_2".to_owned();
        call
    };
    run(&graph, &call_in("a", &json!({}))).unwrap();
    run(&graph, &call_in("b", &json!({"namespace": "politics"}))).unwrap();
    let namespaces = || -> BTreeSet<String> {
        let state = graph.state.lock().unwrap();
        state.entities.values().map(|entity| entity.namespace.as_str().to_owned()).collect()
    };
    assert_eq!(namespaces(), BTreeSet::from(["nonprofits".to_owned(), "politics".to_owned()]));
    let refused = run(&graph, &call_in("c", &json!({"namespace": "default"}))).unwrap_err();
    assert_eq!(refused.code, "BAD_PARAM", "{refused}");
    let mut search = call_in("d", &json!({"include_related": false}));
    search.inputs = json!({"entity_name": "robert"}).as_object().cloned().unwrap();
    let found = wait(actions(&graph)[2].run(&search)).unwrap();
    assert_eq!(found["count"], 2, "one in each of its parts: {found:#}");
}

fn check_refused(inputs: &Value, params: &Value, code: &str) {
    let error = run(&Arc::new(Memory::default()), &call(1, "k", inputs, params)).unwrap_err();
    assert_eq!(error.code, code, "{error}");
}

#[test]
fn f_244_bad_calls_are_named() {
    check_refused(&officers(), &json!({"strategy": "ml"}), "BAD_PARAM");
    check_refused(&officers(), &json!({"threshold": 2}), "PARAM_OUT_OF_RANGE");
    check_refused(&json!({"entities": [{"type": "PERSON"}]}), &json!({}), "BAD_RECORD");
    check_refused(&json!({"entities": "x"}), &json!({}), "BAD_INPUT");
}
