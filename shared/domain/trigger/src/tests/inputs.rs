use countersign_document::read_value;
use countersign_playbook::{CompileContext, PlaybookSource, ValidPlaybook, compile};
use countersign_registry::Registry;
use countersign_run::{Response, RunId, RunStatus, TriggeredBy};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{Content, TriggerSpec, fitting, inputs};

const PLAYBOOK: &str = "
id: p
name: P
description: Inputs of every kind.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: folder, type: string, required: true}
  - {name: most, type: number, required: false}
  - {name: rows, type: list, required: false}
steps:
  - {name: one, step_type: tool, action: transform_data, inputs: {data: []}, params: {operations: []}}
";

fn playbook() -> ValidPlaybook {
    let registry = Registry::builtin();
    let source = PlaybookSource::new("p.yaml", PLAYBOOK);
    compile(&source, &CompileContext::of(&registry)).playbook.unwrap()
}

fn spec(on: &Value, written: &Value) -> TriggerSpec {
    let profile = format!("prof_{}", "0".repeat(32));
    let whole = json!({"name": "T", "profile_id": profile, "on": on, "inputs": written});
    let reading = read_value::<TriggerSpec>(whole);
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.problems))
}

#[track_caller]
fn check(on: &Value, written: &Value, expect: &[&str]) {
    let spec = spec(on, written);
    let skill = json!({"folder": "of the skill"});
    let found = fitting(&spec.on, &spec.inputs, skill.as_object(), &playbook());
    let found: Vec<String> =
        found.err().unwrap_or_default().into_iter().map(|problem| problem.name).collect();
    assert_eq!(found, expect, "{written}");
}

#[test]
fn inputs_are_checked_as_far_as_they_are_known() {
    let hook = json!({"type": "webhook"});
    check(&hook, &json!({}), &[]);
    check(&hook, &json!({"folder": "{body.folder}", "most": "{body.most}"}), &[]);
    check(&hook, &json!({"fodler": "{body.folder}"}), &["fodler"]);
    check(&hook, &json!({"most": "many"}), &["most"]);
    check(&hook, &json!({"most": "{message.id}"}), &["most"]);
    let file = json!({"type": "file", "folder": "in"});
    check(&file, &json!({"folder": "{file.source}", "most": "{file.size}"}), &[]);
    check(&file, &json!({"most": "{file.name}"}), &["most"]);
    let after = json!({"type": "after", "playbook": "q"});
    check(&after, &json!({"folder": "{run.id}", "rows": "{run.response.data.rows}"}), &[]);
    let spec = spec(&hook, &json!({}));
    assert_eq!(fitting(&spec.on, &spec.inputs, None, &playbook()).unwrap_err()[0].name, "folder");
}

fn message() -> TriggeredBy {
    let sent_at = jiff::Timestamp::UNIX_EPOCH;
    TriggeredBy::Webhook {
        message_id: "m".to_owned(),
        sent_at,
        bytes: 0,
        sha256: String::new(),
        key: None,
    }
}

fn filled(written: &Value, fired: &TriggeredBy, content: Content) -> Value {
    inputs(written.as_object().unwrap(), fired, content).map(Value::Object).unwrap()
}

#[test]
fn a_reference_keeps_its_type_and_what_is_not_there_is_left_out() {
    let body = json!({"id": 7, "rows": [{"a": 1}], "name": "{body.id}"});
    let written = json!({"n": "{body.id}", "rows": "{body.rows}", "gone": "{body.gone}",
        "text": "{message.id}: {body.id}", "sly": "{body.name}", "literal": "{{x}}"});
    let found = filled(&written, &message(), Content::Body(body));
    let expect =
        json!({"n": 7, "rows": [{"a": 1}], "text": "m: 7", "sly": "{body.id}", "literal": "{x}"});
    assert_eq!(found, expect);
    let half = json!({"text": "of {body.gone}"});
    let wrong = inputs(half.as_object().unwrap(), &message(), Content::Body(json!({})));
    assert_eq!(wrong.unwrap_err()[0].slot, "text");
}

#[test]
fn a_run_brings_its_response() {
    let run = RunId::from_bytes([1; 16]);
    let fired = TriggeredBy::After { run, status: RunStatus::Complete, playbook: "p".to_owned() };
    let response = |format: &str| {
        let content = Some("{\"rows\": [1]}".to_owned());
        Content::Response(Some(Response {
            format: format.to_owned(),
            content,
            ..Response::default()
        }))
    };
    let written = json!({"rows": "{run.response.data.rows}", "text": "{run.response.content}", "is": "{run.status}"});
    let found = filled(&written, &fired, response("json"));
    assert_eq!(found, json!({"rows": [1], "text": "{\"rows\": [1]}", "is": "complete"}));
    let found = filled(&written, &fired, response("markdown"));
    assert_eq!(found, json!({"text": "{\"rows\": [1]}", "is": "complete"}));
    assert_eq!(filled(&written, &fired, Content::Response(None)), json!({"is": "complete"}));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_a_body_says_stays_data(text in any::<String>()) {
        let written: Map<String, Value> = json!({"x": "{body.x}"}).as_object().unwrap().clone();
        let body = Content::Body(json!({"x": text, "body": {"x": "other"}}));
        prop_assert_eq!(inputs(&written, &message(), body).unwrap()["x"].clone(), json!(text));
    }
}
