//! Playbooks at the door.

use serde_json::{Value, json};

use crate::case::{person, refusal};
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
    assert_eq!(said["is_valid"], json!(false), "{said:#}");
    assert_eq!(ana.refused("/playbooks", Some(&json!({ "yaml": FIVE_ERRORS }))).await.0, 422);
}

/// What other issues will do: a playbook that names one of them is told so, and is not stored.
const NO_HANDLERS: [&str; 8] = [
    "analyze_graph",
    "search_team_files",
    "read_team_file",
    "search_team_posts",
    "write_team_post",
    "summarize_team_thread",
    "broadcast_to_team",
    "find_file_by_vectors",
];

#[tokio::test]
async fn f_041_an_action_without_a_handler_is_neither_listed_nor_accepted() {
    let ana = person("ana", &["global:analyst"]).await;
    let listed = ana.get("/actions").await;
    for action in NO_HANDLERS.iter().chain(&["set_monitor_watermark"]) {
        let items = listed.as_array().unwrap();
        assert!(items.iter().all(|one| one["name"] != *action), "{action} is listed");
        let yaml = format!(
            "id: names-it\nname: Names it\nversion: 1.0.0\nsteps:\n  - {{name: one, step_type: tool, action: {action}}}\n"
        );
        let said = ana.post("/playbooks/validate", &json!({ "yaml": yaml })).await;
        assert_eq!(said["is_valid"], json!(false), "{said:#}");
        assert!(said.to_string().contains(&format!("there is no action `{action}`")), "{said:#}");
        assert_eq!(ana.refused("/playbooks", Some(&json!({ "yaml": yaml }))).await.0, 422);
    }
}

const LABELLED: &str = r#"
id: labelled
name: Labelled
description: Has all that a playbook says of itself.
version: 2.1.0
category: monitoring
tags: [donors, us-2024, donors]
required_connectors: [irs-990-xml]
execution_mode: deterministic
triggers:
  - {pattern: who gave, type: keyword, priority: 3}
steps:
  - {name: one, step_type: tool, action: transform_data, inputs: {data: []}}
"#;

#[tokio::test]
async fn f_396_a_playbook_has_all_its_fields_in_lists_and_by_itself() {
    let ana = person("ana", &["global:analyst"]).await;
    let made = ana.post("/playbooks", &json!({ "yaml": LABELLED })).await;
    let shown = ana.get("/playbooks/labelled").await;
    let listed = ana.get("/playbooks?from=own&kind=monitoring").await;
    for one in [&made, &shown, &listed["items"][0]] {
        let is = |name: &str, value: Value| assert_eq!(one[name], value, "{name}: {one:#}");
        is("name", json!("Labelled"));
        is("description", json!("Has all that a playbook says of itself."));
        is("version", json!("2.1.0"));
        is("category", json!("monitoring"));
        is("tags", json!(["donors", "us-2024"]));
        is("required_connectors", json!(["irs-990-xml"]));
        is("is_template", json!(false));
        is("created_at", made["created_at"].clone());
        is("updated_at", made["created_at"].clone());
    }
    assert!(made["created_at"].is_string(), "{made:#}");
    assert_eq!(shown["yaml"], LABELLED, "{shown:#}");
    let trigger = &shown["playbook"]["triggers"][0];
    assert_eq!((&trigger["pattern"], &trigger["priority"]), (&json!("who gave"), &json!(3)));
    let templates = ana.get("/playbooks?from=system").await;
    assert!(templates["items"].as_array().unwrap().iter().all(|one| one["is_template"] == true));

    let yaml = LABELLED.replace("us-2024", "'Two words'");
    let said = ana.door.post("/api/agent-factory/playbooks", &json!({ "yaml": yaml })).await;
    let said = refusal(said);
    assert_eq!(said.status, 422, "{}", said.said);
    assert!(said.said.contains("`Two words` is not a tag"), "{}", said.said);
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
    assert_eq!(names.len(), 41, "{names:?}");
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
    assert_eq!(said["is_valid"], json!(false), "{said:#}");
    let found = said["errors"].as_array().unwrap().iter();
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
    assert_eq!(said["is_valid"], true, "nobody knows yet what the endpoint does: {said:#}");
    ana.post("/connectors", &json!({ "yaml": reading("some-ledger") })).await;
    let said = ana.post("/playbooks/validate", &body).await;
    assert!(said.to_string().contains("this endpoint needs no signature"), "{said:#}");
    let (status, said) = ana.refused("/playbooks", Some(&body)).await;
    assert_eq!(status, 422, "{said:#}");
}
