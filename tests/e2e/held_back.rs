//! What depends on a call that a gate held back: it is left out too, and the run does not fail for it.

use serde_json::{Value, json};

use crate::case::{Person, person, step};
use crate::effects::{Elsewhere, decide, payer, playbook};

/// Reads, pays behind a gate, and pays again what the first payment gave, behind another; with more steps below that.
fn pays_twice(id: &str, first: &str, second: &str, more: &str) -> String {
    let gate = format!(
        r#"  - {{name: rows, step_type: tool, action: transform_data, inputs: {{data: [{{a: 1}}]}}, params: {{operations: []}}}}
  - {{name: ask, step_type: approval, prompt: "Pay?", on_reject: {first}}}"#
    );
    format!(
        r#"{}  - {{name: ask_again, step_type: approval, prompt: "Pay again?", on_reject: {second}}}
  - name: pay_again
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    inputs: {{amount: "{{pay.results[0].state}}"}}
{more}"#,
        playbook(id, &gate)
    )
}

const TELLS: &str = r#"  - {name: tell, step_type: tool, action: transform_data, inputs: {data: "{pay_again.results}"}, params: {operations: []}}
"#;

const PAYS_ELSE: &str = r#"  - name: pay_else
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    inputs: {amount: "3.00"}
"#;

/// Status and code of steps, in the order of their names.
fn ended(run: &Value, names: &[&str]) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |name: &&str| (word(&step(run, name)["status"]), word(&step(run, name)["code"]));
    names.iter().map(one).collect()
}

fn pairs(expect: &[(&str, &str)]) -> Vec<(String, String)> {
    expect.iter().map(|(status, code)| ((*status).to_owned(), (*code).to_owned())).collect()
}

struct Case {
    elsewhere: Elsewhere,
    maria: Person,
    ana: Person,
    agent: String,
}

async fn case() -> Case {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    Case { elsewhere, maria, ana, agent }
}

#[tokio::test]
async fn f_197_r_065_what_lacks_a_denied_result_is_left_out_with_its_gate() {
    let Case { elsewhere, maria, ana, agent } = case().await;
    ana.playbook(&pays_twice("left-out", "skip", "skip", TELLS)).await;
    let run = ana.start(&agent, "left-out", json!({ "amount": "1.00" })).await;
    decide(&maria, &run, "reject").await;
    let done = ana.reaches(&run, "partial").await;
    let denied = ("not_run", "GATE_DENIED");
    let expect = pairs(&[("rejected", ""), denied, denied, denied, denied]);
    assert_eq!(ended(&done, &["ask", "pay", "ask_again", "pay_again", "tell"]), expect, "{done:#}");
    let why = step(&done, "ask_again")["message"].as_str().unwrap().to_owned();
    assert!(why.starts_with("`pay` has no result: the gate `ask` was denied"), "{why}");
    let blocked = &done["response"]["blocked"];
    assert_eq!(blocked.as_array().unwrap().len(), 1, "{blocked:#}");
    let steps = json!(["pay", "pay_again", "tell"]);
    assert_eq!(blocked[0]["partial_data"]["steps"], steps, "{blocked:#}");
    assert_eq!(done["approvals"].as_array().unwrap().len(), 1, "nobody was asked again: {done:#}");

    // Its author wants nothing behind the second gate without an approval: the run ends there as if it had been denied.
    ana.playbook(&pays_twice("left-out-stop", "skip", "stop", TELLS)).await;
    let run = ana.start(&agent, "left-out-stop", json!({ "amount": "1.00" })).await;
    decide(&maria, &run, "reject").await;
    let done = ana.reaches(&run, "rejected").await;
    assert_eq!(done["stop"]["step"], "ask_again", "{done:#}");
    assert_eq!(elsewhere.posts(), 0);
}

#[tokio::test]
async fn f_197_r_065_a_gate_asks_for_what_is_left_and_says_what_is_not() {
    let Case { elsewhere, maria, ana, agent } = case().await;
    ana.playbook(&pays_twice("one-left", "skip", "stop", PAYS_ELSE)).await;
    let run = ana.start(&agent, "one-left", json!({ "amount": "1.00" })).await;
    decide(&maria, &run, "reject").await;
    let seen = decide(&maria, &run, "approve").await;
    let remarks = seen["remarks"].to_string();
    assert!(remarks.contains("`pay_again` will be left out: `pay` has no result"), "{seen:#}");
    assert_eq!(seen["effects"].as_array().unwrap().len(), 1, "{seen:#}");
    let done = ana.reaches(&run, "partial").await;
    let expect = pairs(&[("not_run", "GATE_DENIED"), ("done", "")]);
    assert_eq!(ended(&done, &["pay_again", "pay_else"]), expect, "{done:#}");
    assert_eq!(elsewhere.posts(), 1);
}

#[tokio::test]
async fn r_067_k_18_a_run_that_skips_its_gates_does_not_fail_for_what_they_hold_back() {
    let Case { elsewhere, ana, agent, .. } = case().await;
    ana.playbook(&pays_twice("skips-both", "skip", "stop", TELLS)).await;
    let body = json!({ "profile": agent, "playbook": "skips-both", "inputs": { "amount": "1.00" }, "approval_policy": "skip" });
    let line = ana.post("/executions", &body).await;
    let done = ana.reaches(line["id"].as_str().unwrap(), "partial").await;
    let not_asked = "GATE_NOT_ASKED";
    let (closed, not_run) = (("closed", not_asked), ("not_run", not_asked));
    let expect = pairs(&[closed, not_run, closed, not_run, not_run]);
    assert_eq!(ended(&done, &["ask", "pay", "ask_again", "pay_again", "tell"]), expect, "{done:#}");
    assert_eq!(elsewhere.posts(), 0);
}
