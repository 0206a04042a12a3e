//! Runs that ask nobody: what their gates would have held back is not done.

use serde_json::{Value, json};

use crate::case::{Person, gated, person, rows, step};
use crate::effects::{Elsewhere, payer, playbook};

/// A gate that ends the run when it is denied, one that is not needed, and a row behind both.
const TWO_GATES: &str = r#"
id: two-gates
name: Two gates
description: Asks twice before it keeps rows.
version: 1.0.0
execution_mode: deterministic
approval_policy: require
steps:
  - {name: found, step_type: tool, action: transform_data, inputs: {data: [{amount: 15}]}, params: {operations: []}}
  - {name: first, step_type: approval, prompt: Go on?}
  - {name: second, step_type: approval, prompt: So much?, condition: "{found.count} > 1000"}
  - {name: keep, step_type: tool, action: save_to_workspace, inputs: {data: "{found.data}"}, params: {table_name: skipped_rows, create_if_missing: true}}
output:
  save_to: document
"#;

async fn skipping(who: &Person, agent: &str, playbook: &str, inputs: &Value) -> Value {
    let body = json!({ "profile": agent, "playbook": playbook, "inputs": inputs, "approval_policy": "skip" });
    let line = who.post("/executions", &body).await;
    who.reaches(line["id"].as_str().unwrap(), "partial").await
}

#[tokio::test]
async fn r_067_k_18_nothing_behind_a_gate_that_asked_nobody_is_done() {
    let ana = person("ana", &["global:analyst"]).await;
    // Ana may not decide, so nobody could sign: a run that asks is refused, and one that does not is not.
    let agent = ana.agent(&[&ana]).await;
    ana.playbook(TWO_GATES).await;
    ana.playbook(&gated("one-gate", "")).await;
    let asking = json!({ "profile": agent, "playbook": "one-gate", "inputs": rows() });
    assert_eq!(ana.refused("/executions", Some(&asking)).await.1, "APPROVAL_UNREACHABLE");

    let run = skipping(&ana, &agent, "two-gates", &json!({})).await;
    let told = ["found", "first", "second", "keep"].map(|name| {
        let step = step(&run, name);
        (step["status"].as_str().unwrap(), step["code"].as_str().unwrap_or_default())
    });
    let not_asked = "GATE_NOT_ASKED";
    let expect = [
        ("done", ""),
        ("closed", not_asked),
        ("skipped", "CONDITION_FALSE"),
        ("not_run", not_asked),
    ];
    assert_eq!(told, expect, "{run:#}");
    assert_eq!(run["response"]["outputs"].as_array().map_or(0, Vec::len), 0, "{run:#}");
    let problems = run["response"]["problems"].to_string();
    assert!(problems.contains("nothing is written at the end of the run"), "{problems}");

    let run = skipping(&ana, &agent, "one-gate", &rows()).await;
    let blocked = &run["response"]["blocked"][0]["partial_data"];
    let (steps, tools) = (json!(["keep"]), json!(["save_to_workspace"]));
    assert_eq!((&blocked["steps"], &blocked["tools"]), (&steps, &tools), "{run:#}");
    let tables = ana.get("/workspaces/default/tables").await;
    assert_eq!(tables["items"], json!([]), "{tables:#}");
    assert_eq!(ana.get("/documents").await["items"], json!([]));
}

/// What a payment gave is shown at a second gate, for another payment.
const PAYS_AGAIN: &str = r#"  - {name: ask_again, step_type: approval, prompt: "Pay again?"}
  - name: pay_again
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    inputs: {amount: "{pay.results[0].state}"}
"#;

#[tokio::test]
async fn r_067_k_18_what_must_not_fail_and_lacks_a_result_ends_the_run() {
    let elsewhere = Elsewhere::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let gate = r#"  - {name: ask, step_type: approval, prompt: "Pay?", on_reject: skip}"#;
    ana.playbook(&format!("{}{PAYS_AGAIN}", playbook("skips-both", gate))).await;
    let body = json!({ "profile": agent, "playbook": "skips-both", "inputs": { "amount": "1.00" }, "approval_policy": "skip" });
    let line = ana.post("/executions", &body).await;
    let done = ana.reaches(line["id"].as_str().unwrap(), "error").await;
    assert_eq!(step(&done, "pay")["code"], "GATE_NOT_ASKED", "{done:#}");
    assert_eq!(step(&done, "ask_again")["status"], "failed", "{done:#}");
    assert_eq!(elsewhere.posts(), 0);
}
