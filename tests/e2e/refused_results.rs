//! What the end of a run does not write: what somebody refused, and what the playbook routes itself.

use serde_json::{Value, json};

use crate::case::{person, rows};
use crate::responses::{finished, playbook, routing_agent};

/// A gate whose refusal only skips what comes after it, then the routing.
const SKIPPING: &str = r#"
id: asks-and-goes-on
name: Asks
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: sorted
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: limit, value: 1}]
  - {name: review, step_type: approval, prompt: "Publish?", on_reject: skip}
ROUTING
"#;

#[tokio::test]
async fn f_020_what_a_gate_refused_is_not_written_at_the_end_either() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let profile = json!({
        "name": "Router", "handle": format!("{}-skips", ana.username), "approvers": [maria.username],
        "output_config": { "destinations": [{ "type": "document" }] },
    });
    let agent = ana.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned();
    let routing =
        r#"  - {name: publish, step_type: tool, action: route_output, inputs: {data: "{sorted}"}}"#;
    for (id, steps) in [("asks-and-routes", routing), ("asks-and-ends", "")] {
        ana.playbook(&SKIPPING.replace("asks-and-goes-on", id).replace("ROUTING", steps)).await;
        let run = ana.start(&agent, id, rows()).await;
        let request = maria.request(&run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = maria.get(&path).await;
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        maria.post(&format!("{path}/reject"), &decision).await;
        ana.reaches(&run, "partial").await;
        let response = &ana.run(&run).await["response"];
        assert_eq!(response["outputs"], Value::Null, "{response:#}");
        let documents = ana.get("/documents").await;
        assert_eq!(documents["items"], json!([]), "{id}");
    }
}

#[tokio::test]
async fn f_171_a_routing_whose_condition_is_false_is_not_made_up_for_at_the_end() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = routing_agent(&ana, &json!([{ "type": "document" }])).await;
    let routing = r#"  - {name: publish, step_type: tool, action: route_output, condition: "{sorted.count} > 100", inputs: {data: "{sorted}"}}"#;
    ana.playbook(&playbook("routes-on-condition", routing)).await;
    let run = finished(&ana, &agent, "routes-on-condition", "complete").await;
    assert_eq!(run["response"]["outputs"], Value::Null, "{run:#}");
    let documents = ana.get("/documents").await;
    assert_eq!(documents["items"], json!([]));
}
