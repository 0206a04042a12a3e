//! Playbooks at the door.

use serde_json::json;

use crate::case::person;
use crate::effects::connector;

const FIVE_ERRORS: &str = r#"
id: five-errors
name: Five errors
description: None of this links.
version: 1.0.0
execution_mode: deterministic
steps:
  - name: one
    step_type: tool
    action: launch_rocket
  - name: two
    step_type: tool
    action: transform_data
    inputs: {data: "{nowhere.data}"}
  - name: three
    step_type: tool
    action: cross_reference
    inputs: {dataset_a: []}
  - name: four
    step_type: tool
    action: transform_data
    inputs: {data: []}
    retry_count: 99
  - name: five
    step_type: approval
    prompt: "Go on?"
    quorumm: 2
"#;

#[tokio::test]
async fn f_343_a_playbook_with_five_errors_gets_five_places() {
    let ana = person("ana", &["global:analyst"]).await;
    let said = ana.post("/playbooks/validate", &json!({ "yaml": FIVE_ERRORS })).await;
    let text = serde_json::to_string(&said).unwrap();
    let places = text.matches("\"line\":").count();
    assert!(places >= 5, "{places} places in {said:#}");
    assert_eq!(said["valid"], json!(false), "{said:#}");
    assert_eq!(ana.refused("/playbooks", Some(&json!({ "yaml": FIVE_ERRORS }))).await.0, 422);
}

#[tokio::test]
async fn f_344_the_graph_of_the_shipped_playbook_has_its_gate() {
    let ana = person("ana", &["global:analyst"]).await;
    let graph = ana.get("/playbooks/officer-cross-reference/graph").await;
    let nodes = graph["nodes"].as_array().unwrap();
    assert!(nodes.iter().any(|node| node["id"] == "sign_off"), "{graph:#}");
}

#[tokio::test]
async fn f_345_every_action_is_listed_with_its_contract() {
    let ana = person("ana", &["global:analyst"]).await;
    let actions = ana.get("/actions").await;
    let names: Vec<&str> =
        actions.as_array().unwrap().iter().filter_map(|action| action["name"].as_str()).collect();
    assert_eq!(names.len(), 22, "{names:?}");
}

#[tokio::test]
async fn f_345_a_contract_has_the_schema_of_each_param() {
    let ana = person("ana", &["global:analyst"]).await;
    let contract = ana.get("/actions/transform_data").await;
    let operations = &contract["params"][0]["schema"];
    let limit = &operations["items"]["oneOf"][4]["properties"];
    assert_eq!(limit["type"]["const"], "limit", "{contract:#}");
    assert_eq!(limit["count"]["minimum"], 0, "{contract:#}");
}

const NESTED: &str = r#"
id: nested-params
name: Nested params
inputs:
  - {name: who, type: entity_name}
steps:
  - name: cut
    step_type: tool
    action: transform_data
    inputs: {data: [{a: 1}]}
    operations:
      - {type: limit, count: -3}
      - {type: limit, count: "{who}"}
"#;

#[tokio::test]
async fn f_343_k_52_parts_of_params_are_refused_at_their_place() {
    let ana = person("ana", &["global:analyst"]).await;
    let said = ana.post("/playbooks/validate", &json!({ "yaml": NESTED })).await;
    assert_eq!(said["valid"], json!(false), "{said:#}");
    let found = said["diagnostics"].as_array().unwrap().iter();
    let found = found.filter(|one| one["severity"] == "error");
    let told: Vec<_> = found.map(|one| (&one["field"], &one["line"], &one["column"])).collect();
    let expect = [
        (&json!("params.operations[0].count"), &json!(12), &json!(30)),
        (&json!("params.operations[1].count"), &json!(13), &json!(30)),
    ];
    assert_eq!(told, expect, "{said:#}");
}

#[tokio::test]
async fn k_10_for_each_at_an_endpoint_that_only_reads_is_not_saved() {
    let ana = person("ana", &["global:analyst"]).await;
    let reading = |id: &str| {
        connector(1).replace("id: test-ledger", &format!("id: {id}")).replace("POST", "GET")
    };
    let yaml = r#"
id: look-each
name: Look
required_connectors: [some-ledger]
inputs:
  - {name: amounts, type: list}
steps:
  - name: look
    step_type: tool
    action: call_connector
    connector: some-ledger
    endpoint: book
    for_each: {in: amounts}
    inputs: {amount: "{item}"}
"#;
    let body = json!({ "yaml": yaml });
    let said = ana.post("/playbooks/validate", &body).await;
    assert_eq!(said["valid"], true, "nobody knows yet what the endpoint does: {said:#}");
    ana.post("/connectors", &json!({ "yaml": reading("some-ledger") })).await;
    let said = ana.post("/playbooks/validate", &body).await;
    assert!(said.to_string().contains("this endpoint needs no signature"), "{said:#}");
    let (status, said) = ana.refused("/playbooks", Some(&body)).await;
    assert_eq!(status, 422, "{said:#}");
}
