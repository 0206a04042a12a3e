//! A step that a denied gate held back, and without whose result the run goes on: whoever signs is told.

use serde_json::json;

use super::{ASK, following, playbook};
use crate::case::step;

/// A step that is only done if somebody agrees.
const NOTES: &str = "
  - {name: look, step_type: approval, prompt: \"Write a note?\", on_reject: skip}
  - name: notes
    step_type: tool
    action: transform_data
    inputs: {data: [{text: hello}]}
    operations: [{type: limit, value: 1}]
";

#[tokio::test]
async fn k_13_who_signs_sees_that_an_argument_is_left_out_because_a_gate_was_denied() {
    let with_note = |id: &str| {
        let total = r#"inputs: {total: "{total}""#;
        let note = format!(r#"{total}, note: "{{notes.data[0].text}}""#);
        playbook(id, &format!("{NOTES}{ASK}")).replace(total, &note)
    };
    let case = following("pay-unnoted", with_note, json!({ "total": "100.00" })).await;
    let (first, seen) = case.seen().await;
    let body = json!({ "digest": seen["digest"], "version": seen["version"] });
    case.maria.post(&format!("{first}/reject"), &body).await;

    let (path, seen) = case.seen().await;
    assert_eq!(seen["warnings"][0]["step"], "notes", "{seen:#}");
    let told = seen["warnings"][0]["first"][0].as_str().unwrap();
    for part in ["the gate `look` was denied", "without it (`note` of `pay`)"] {
        assert!(told.contains(part), "{told}");
    }
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&case.run, "partial").await;
    assert_eq!(step(&done, "notes")["status"], "not_run", "{done:#}");
    assert_eq!(case.accounts.paid(), 1);
}
