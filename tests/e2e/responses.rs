//! What a run gives back when it is over: its answer, and its results where playbook and profile want them.

use serde_json::{Value, json};

use crate::case::{Person, gated, person, rows};

/// Sorts rows, skips a step, and says what it gives back.
fn playbook(id: &str, output: &str) -> String {
    format!(
        r#"
id: {id}
name: Sort
description: Sorts rows.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: rows, type: list, required: true}}
steps:
  - name: sorted
    step_type: tool
    action: transform_data
    inputs: {{data: "{{rows}}"}}
    operations: [{{type: limit, value: 1}}]
  - name: never
    step_type: tool
    action: transform_data
    condition: "{{sorted.count}} > 100"
    inputs: {{data: "{{rows}}"}}
    operations: [{{type: limit, value: 1}}]
{output}
"#
    )
}

async fn finished(ana: &Person, agent: &str, playbook: &str, state: &str) -> Value {
    let run = ana.start(agent, playbook, rows()).await;
    ana.reaches(&run, state).await;
    ana.run(&run).await
}

/// An agent of ana's with these destinations.
async fn routing_agent(ana: &Person, destinations: &Value) -> String {
    let profile = json!({
        "name": "Router", "handle": format!("{}-router", ana.username),
        "output_config": { "destinations": destinations },
    });
    ana.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn f_136_a_run_gives_back_what_its_playbook_says_and_keeps_it() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let output = r#"
output:
  save_to: both
  template: "{sorted.count} row.\n\n{sections}"
  sections:
    - {title: First row, source: sorted.data}
    - {title: More, source: never.data}
"#;
    ana.playbook(&playbook("gives-back", output)).await;
    let run = finished(&ana, &agent, "gives-back", "complete").await;
    let response = &run["response"];
    let content = response["content"].as_str().unwrap();
    assert!(content.starts_with("1 row.\n\n## First row\n"), "{content}");
    assert!(content.contains("Not known: the step “never” has no result"), "{content}");
    assert_eq!(response["bytes"], content.len());
    let problems = response["problems"].as_array().unwrap();
    assert!(problems[0].as_str().unwrap().starts_with("the section “More” is not known"));
    let outputs = response["outputs"].as_array().unwrap();
    let kinds: Vec<_> = outputs.iter().map(|row| (&row["destination"], &row["status"])).collect();
    let success = json!("success");
    assert_eq!(kinds, [(&json!("document"), &success), (&json!("data_workspace_table"), &success)]);
    let document = outputs[0]["details"]["document_id"].as_str().unwrap();
    let document = ana.get(&format!("/documents/{document}")).await;
    assert_eq!(document["body"], content, "{document:#}");
    assert_eq!(outputs[1]["details"]["rows_inserted"], 1);
}

#[tokio::test]
async fn f_171_the_end_of_a_run_routes_to_the_profiles_destinations_and_says_what_failed() {
    let ana = person("ana", &["global:analyst"]).await;
    let destinations = json!([
        { "type": "chat", "config": { "title": "Said" } },
        { "type": "document", "config": { "folder_id": "nowhere" } },
    ]);
    let agent = routing_agent(&ana, &destinations).await;
    ana.playbook(&playbook("routes", "")).await;
    let run = finished(&ana, &agent, "routes", "partial").await;
    let response = &run["response"];
    assert!(response["content"].as_str().unwrap().starts_with("# Said\n"), "{response:#}");
    let outputs = response["outputs"].as_array().unwrap();
    let rows: Vec<_> = outputs.iter().map(|row| (&row["status"], &row["error"]["code"])).collect();
    let missing = json!("FOLDER_NOT_FOUND");
    assert_eq!(rows, [(&json!("success"), &Value::Null), (&json!("error"), &missing)]);
    let journal = ana.get(&format!("/profiles/{agent}/journal")).await;
    let entry = &journal["items"][0];
    let told = entry["summary"].as_str().unwrap();
    assert!(told.contains("the end of the run to document: FOLDER_NOT_FOUND"), "{entry:#}");
}

#[tokio::test]
async fn f_020_a_run_that_was_denied_gives_nothing_back() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let destinations = json!([{ "type": "document" }]);
    let profile = json!({
        "name": "Router", "handle": format!("{}-denied", ana.username), "approvers": [maria.username],
        "output_config": { "destinations": destinations },
    });
    let agent = ana.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned();
    ana.playbook(&gated("gives-nothing", "")).await;
    let run = ana.start(&agent, "gives-nothing", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/reject"), &decision).await;
    ana.reaches(&run, "rejected").await;
    assert_eq!(ana.run(&run).await.get("response"), None);
    let documents = ana.get("/documents").await;
    assert_eq!(documents["items"], json!([]));
}

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
