use countersign_document::{read, read_value};
use countersign_run::RunStatus;
use serde_json::{Value, json};

use crate::TriggerSpec;

fn document(changes: &Value) -> Value {
    let mut whole = json!({
        "name": "Invoices", "profile_id": format!("prof_{}", "0".repeat(32)), "on": {"type": "webhook"},
    });
    whole.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    whole
}

#[track_caller]
fn check(changes: &Value, expect: &[&str]) {
    let reading = read_value::<TriggerSpec>(document(changes));
    let places: Vec<String> =
        reading.problems.iter().map(countersign_document::Problem::path).collect();
    assert_eq!(places, expect, "{changes} {:?}", reading.problems);
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place() {
    check(&json!({}), &[]);
    check(&json!({"on": {"type": "webhook", "folder": "a"}}), &["on.folder"]);
    check(&json!({"on": {"type": "cron"}}), &["on.type"]);
    check(&json!({"on": {"type": "file"}}), &["on.folder"]);
    check(&json!({"on": {"type": "file", "folder": "a/b"}}), &["on.folder"]);
    check(
        &json!({"on": {"type": "file", "folder": "a", "file_types": [".pdf"]}}),
        &["on.file_types[0]"],
    );
    check(&json!({"on": {"type": "after", "playbook": "a", "statuses": []}}), &["on.statuses"]);
    check(
        &json!({"on": {"type": "after", "playbook": "a", "statuses": ["running"]}}),
        &["on.statuses[0]"],
    );
    check(&json!({"approval_policy": "auto_approve"}), &["approval_policy"]);
    check(&json!({"query_template": "Pay {body.amount}"}), &["query_template"]);
    check(&json!({"max_retries": 11, "timeout_seconds": 0}), &["max_retries", "timeout_seconds"]);
    check(&json!({"most_per_day": 1}), &[]);
    check(&json!({"most_per_day": 0}), &["most_per_day"]);
}

#[test]
fn references_name_what_the_event_has() {
    let file = json!({"type": "file", "folder": "a"});
    let after = json!({"type": "after", "playbook": "a"});
    let inputs = |value: Value| json!({"inputs": {"x": value}});
    let on = |on: &Value, value: &str| json!({"on": on, "inputs": {"x": {"y": [value]}}});
    check(&inputs(json!("{body}")), &[]);
    check(&inputs(json!("{body[0].id} and {message.id}")), &[]);
    check(&inputs(json!(["{bodys}"])), &["inputs.x[0]"]);
    check(&inputs(json!("{file.name}")), &["inputs.x"]);
    check(&inputs(json!("{message.secret}")), &["inputs.x"]);
    check(&inputs(json!("{")), &["inputs.x"]);
    check(&inputs(json!("{{literal}}")), &[]);
    check(&on(&file, "{file.source}"), &[]);
    check(&on(&file, "{file.owner}"), &["inputs.x.y[0]"]);
    check(&on(&after, "{run.response.data.rows[*].id}"), &[]);
    check(&on(&after, "{run.response}"), &["inputs.x.y[0]"]);
    check(&on(&after, "{body}"), &["inputs.x.y[0]"]);
}

#[test]
fn a_reference_without_quotes_is_not_taken_for_a_mapping() {
    let inputs = |value: Value| json!({"inputs": {"x": value}});
    check(&inputs(json!({"body.since": null})), &["inputs.x"]);
    check(&inputs(json!([{"y": {"message.id": null}}])), &["inputs.x[0].y"]);
    check(&inputs(json!({"other": null})), &[]);
    check(&inputs(json!({"body.since": null, "z": 1})), &[]);
    let text = |inputs: &str| {
        let head = format!("name: A\nprofile_id: prof_{}\non: {{type: webhook}}\n", "0".repeat(32));
        let problems = read::<TriggerSpec>(&format!("{head}inputs: {inputs}\n")).problems;
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        text("{since: {body.since}}"),
        [
            "4:17: error[reference]: `{body.since}` without quotes is a mapping, not a reference (write `\"{body.since}\"`)"
        ]
    );
    assert_eq!(text("{since: {body: null}}"), [""; 0]);
}

#[test]
fn a_trigger_takes_the_files_and_ends_that_it_names() {
    let on =
        |on: &Value| read_value::<TriggerSpec>(document(&json!({ "on": on }))).value.unwrap().on;
    let all = on(&json!({"type": "file", "folder": "in"}));
    assert!(all.takes_file("in", "a") && !all.takes_file("out", "a"));
    let some = on(&json!({"type": "file", "folder": "in", "file_types": ["pdf"]}));
    assert!(some.takes_file("in", "a.PDF") && !some.takes_file("in", "pdf"));
    let end = on(&json!({"type": "after", "playbook": "p"}));
    assert!(end.takes_end("p", RunStatus::Complete));
    assert!(!end.takes_end("p", RunStatus::Error) && !end.takes_end("q", RunStatus::Complete));
    let failed = on(&json!({"type": "after", "playbook": "p", "statuses": ["error", "timeout"]}));
    assert!(failed.takes_end("p", RunStatus::Timeout) && !failed.takes_file("in", "a"));
}

#[test]
fn the_key_on_is_a_word_in_yaml() {
    let text = format!(
        "name: A\nprofile_id: prof_{}\non: {{type: after, playbook: p}}\noverlap: queue\n",
        "0".repeat(32)
    );
    let reading = read::<TriggerSpec>(&text);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let again = serde_json::to_value(reading.value.unwrap()).unwrap();
    assert_eq!(again["on"], json!({"type": "after", "playbook": "p", "statuses": ["complete"]}));
    assert_eq!(again["query_template"], "Triggered");
}
