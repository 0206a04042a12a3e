//! What the end of a run does not write: what somebody refused, and what the playbook routes itself; and that it writes the rest.

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

/// One step writes a table, another would have written a file; of the agent's there are a table, a file and a document.
const ROUTES_SOME: &str = r#"
  - name: keep
    step_type: tool
    action: route_output
    inputs: {data: "{sorted}"}
    params: {destinations: [{type: data_workspace_table, config: {table_name: sorted_rows, source: data, create_if_missing: true}}]}
  - name: export
    step_type: tool
    action: route_output
    condition: "{sorted.count} > 100"
    inputs: {data: "{sorted.data}"}
    params: {destinations: [{type: file_export}]}
"#;

#[tokio::test]
async fn f_020_f_171_the_end_of_a_run_routes_what_no_step_has_routed() {
    let ana = person("ana", &["global:analyst"]).await;
    let destinations = json!([
        { "type": "data_workspace_table", "config": { "table_name": "sorted_rows", "source": "data" } },
        { "type": "file_export", "transforms": [{ "type": "pick", "path": "data" }] },
        { "type": "document", "config": { "filename_template": "rest_{date}.md" } },
        { "type": "document", "config": { "folder_id": "nowhere" } },
    ]);
    let agent = routing_agent(&ana, &destinations).await;
    ana.playbook(&playbook("routes-some", ROUTES_SOME)).await;
    let run = finished(&ana, &agent, "routes-some", "partial").await;
    let outputs = run["response"]["outputs"].as_array().unwrap();
    let rows: Vec<Value> =
        outputs.iter().map(|row| json!([row["step"], row["destination"], row["status"]])).collect();
    let expect = json!([
        ["keep", "data_workspace_table", "success"],
        [null, "document", "success"],
        [null, "document", "error"],
    ]);
    assert_eq!(json!(rows), expect, "{run:#}");
    let name = outputs[1]["details"]["filename"].as_str().unwrap();
    assert!(name.starts_with("rest_"), "{name}");
    let kept = ana.get("/workspaces/default/tables/sorted_rows/rows").await;
    assert_eq!(kept["items"].as_array().unwrap().len(), 1, "the table is written once");
    assert_eq!(ana.get("/exports").await["items"], json!([]), "the condition of a step counts");
    assert!(outputs[2]["error"]["retry"].is_string(), "{run:#}");
}
