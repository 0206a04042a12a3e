//! Steps that ask before they write, and values put together of several results.

use countersign_playbook as playbook;
use countersign_run::{GatePolicy, RunContext};
use serde_json::{Value, json};

use super::{action, approval, of, planned, request, step};
use crate::{Request, check, plan};

/// A `route_output` of a result to these destinations.
fn route(data: Value, destinations: Value) -> playbook::StepKind {
    let object = |name: &str, value: Value| [(name.to_owned(), value)].into_iter().collect();
    playbook::StepKind::Action {
        action: "route_output".to_owned(),
        inputs: object("data", data),
        params: object("destinations", destinations),
        output_key: None,
        output_schema: None,
        llm: false,
        allow_missing: false,
        model: None,
        irreversible: false,
        function: "tool-output".to_owned(),
    }
}

/// The prompt of the gate before a step that writes there, if there is one.
fn asked_before(destinations: Value, inputs: &Value) -> Option<String> {
    let playbook = of(vec![
        step("find", action(false, None)),
        step("publish", route(json!("{find.data}"), destinations)),
    ]);
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    let plan = plan(&playbook, Request { inputs, ..request() });
    assert_eq!(check(&plan), Ok(()));
    plan.step("publish_confirm").and_then(|gate| Some(gate.gate.clone()?.prompt))
}

#[test]
fn k_62_a_step_asks_when_one_of_its_destinations_says_so() {
    let none = json!({});
    let chat = json!({"type": "chat"});
    assert_eq!(asked_before(json!([chat]), &none), None);
    assert_eq!(asked_before(json!([{"type": "chat", "confirm": false}]), &none), None);
    let folder = json!({"type": "folder", "confirm": true, "config": {"folder_id": "f", "filename_template": "a_{{date}}.md"}});
    let prompt = asked_before(json!([chat, folder]), &none);
    let expect =
        "`publish` writes this to chat, folder `a_{{date}}.md` in the folder `f`. Shall it?";
    assert_eq!(prompt.as_deref(), Some(expect));
    // What an input says counts as what is written; what is not known is taken as asked for.
    let wired = json!([{"type": "chat", "confirm": "{ask}"}]);
    assert_eq!(asked_before(wired.clone(), &json!({"ask": false})), None);
    assert!(asked_before(wired.clone(), &json!({"ask": true})).is_some());
    assert!(asked_before(wired, &none).is_some());
    assert_eq!(asked_before(json!("{to}"), &json!({"to": [chat]})), None);
    assert!(asked_before(json!("{to}"), &none).is_some());
}

#[test]
fn k_62_a_destination_that_is_known_in_the_run_only_is_asked_about() {
    let check = |destinations: Value, inputs: Value, places: &str| {
        let prompt = asked_before(destinations, &inputs);
        assert_eq!(prompt, Some(format!("`publish` writes this to {places}. Shall it?")));
    };
    // What stands in braces is filled in when the gate opens.
    let unknown = "the destination `{{places[0]}}`, which is {places[0]}";
    check(json!(["{places[0]}"]), json!({}), unknown);
    let all = "the destination `{{places}}`, which is {places}";
    check(json!("{places}"), json!({}), all);
    let table =
        json!({"type": "data_workspace_table", "confirm": true, "config": {"table_name": "a{b}"}});
    let known = "data workspace table `a{{b}}` in the workspace `default`";
    check(json!(["{places[0]}"]), json!({"places": [table]}), known);
    let chat = json!({"type": "chat"});
    assert_eq!(asked_before(json!(["{places[0]}"]), &json!({"places": [chat]})), None);
}

#[test]
fn k_62_whoever_confirms_sees_workspace_namespace_format_and_changes() {
    let check = |destination: Value, place: &str| {
        let prompt = asked_before(json!([destination]), &json!({}));
        assert_eq!(prompt, Some(format!("`publish` writes this to {place}. Shall it?")));
    };
    let changes = json!([{"type": "select", "fields": ["name", "pay"]}, {"type": "rename", "from": "pay", "to": "amount"}, {"type": "limit", "count": 5}]);
    let table = json!({"table_name": "people_{who}", "workspace_id": "shared"});
    check(
        json!({"type": "data_workspace_table", "confirm": true, "transforms": changes, "config": table}),
        "data workspace table `people_{who}` in the workspace `shared` after `select name, pay` and `rename pay to amount` and `limit 5`",
    );
    let tables = json!([{"table_name": "people"}, {"table_name": "pay"}]);
    check(
        json!({"type": "data_workspace_db", "confirm": true, "config": {"tables": tables}}),
        "data workspace db `people` `pay` in the workspace `default`",
    );
    check(
        json!({"type": "knowledge_graph", "confirm": true, "condition": "{{count}} > 0", "config": {"namespace": "cases"}}),
        "knowledge graph in the namespace `cases` if `{{count}} > 0`",
    );
    check(
        json!({"type": "file_export", "confirm": true, "format": "json"}),
        "file export as `json`",
    );
}

#[test]
fn k_62_the_gate_of_a_destination_guards_its_step_and_no_other() {
    let confirmed = json!([{"type": "chat", "confirm": true}]);
    let data = json!({"people": "{find.data}", "all": "{find.count}"});
    let plan = planned(vec![
        step("sure", approval()),
        step("find", action(false, None)),
        step("publish", route(data.clone(), confirmed)),
        step("pay", action(true, Some("find"))),
    ]);
    assert_eq!(check(&plan), Ok(()));
    let gate = plan.step("publish_confirm").unwrap();
    let publish = plan.step("publish").unwrap();
    assert_eq!((gate.guard.as_deref(), &gate.after), (Some("sure"), &vec!["find".to_owned()]));
    assert_eq!(gate.reads, ["find"]);
    assert_eq!(publish.guard.as_deref(), Some("publish_confirm"));
    assert_eq!(publish.after, ["publish_confirm"]);
    // What follows is behind the author's gate, as it was.
    assert_eq!(plan.step("pay").unwrap().guard.as_deref(), Some("sure"));
    assert_eq!(plan.composed["publish_confirm"], data);
    let scope = countersign_wiring::Scope::new().with("find", json!({"data": [1], "count": 1}));
    let shown = plan.composed("publish_confirm", &scope).unwrap();
    assert_eq!(shown, json!({"people": [1], "all": 1}));
}

#[test]
fn k_11_k_62_what_is_to_be_confirmed_is_signed_in_runs_of_clocks_too() {
    let check = |destinations: Value, inputs: Value, gate: &str, expect: bool| {
        let playbook = of(vec![
            step("sure", approval()),
            step("find", action(false, None)),
            step("publish", route(json!("{find.data}"), destinations)),
        ]);
        let inputs = inputs.as_object().cloned().unwrap_or_default();
        let context = RunContext::Scheduled;
        let plan = plan(&playbook, Request { context, inputs, ..request() });
        let gate = plan.step(gate).unwrap();
        assert_eq!(plan.opens_by_itself(gate, context, GatePolicy::AutoApprove), expect);
    };
    let (chat, confirmed) = (json!([{"type": "chat"}]), json!([{"type": "chat", "confirm": true}]));
    check(confirmed.clone(), json!({}), "publish_confirm", false);
    // The author's own gate before it is an ordinary one.
    check(confirmed.clone(), json!({}), "sure", true);
    check(chat.clone(), json!({}), "sure", true);
    // What an input says counts as what is written; what is not known is taken as asked for.
    check(json!("{to}"), json!({"to": chat}), "sure", true);
    check(json!("{to}"), json!({"to": confirmed}), "publish_confirm", false);
    check(json!("{to}"), json!({}), "publish_confirm", false);
}

#[test]
fn f_146_a_gate_may_show_a_whole_parallel_step() {
    let both = playbook::StepKind::Parallel {
        steps: vec![step("a", action(false, None)), step("b", action(false, None))],
        output_key: None,
    };
    let playbook::StepKind::Approval { prompt, preview_limit, on_reject, quorum, .. } = approval()
    else {
        panic!("a gate")
    };
    let shows = playbook::StepKind::Approval {
        preview_from: Some("both".to_owned()),
        preview_limit,
        preview_columns: Vec::new(),
        prompt,
        timeout_minutes: None,
        escalation: None,
        on_reject,
        approvers: Vec::new(),
        quorum,
        assurance: None,
        revise: Vec::new(),
    };
    let plan = planned(vec![step("both", both), step("sure", shows)]);
    assert_eq!(plan.step("sure").unwrap().reads, ["a", "b"]);
    assert_eq!(Value::Object(plan.composed), json!({"both": {"a": "{a}", "b": "{b}"}}));
}
