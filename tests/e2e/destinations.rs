//! Destinations: what is written there, and one that failed, tried again by itself.

use serde_json::{Value, json};

use crate::case::{Person, person, refusal, rows, until};
use crate::filings::{GOOD, upload};
use crate::responses::{finished, playbook, routing, routing_agent};
use crate::world::world;

/// Waits until a destination of a run has been written.
async fn written(who: &Person, run: &str, n: usize) -> Value {
    until("the destination is written", || async {
        let row = who.run(run).await["response"]["outputs"][n].clone();
        (row["status"] == "success").then_some(row)
    })
    .await
}

async fn in_folder(who: &Person, folder: &str) -> usize {
    let documents = who.get(&format!("/documents?folder={folder}")).await;
    documents["items"].as_array().unwrap().len()
}

/// Where a destination of a run can be tried again.
fn retry(run: &Value, n: usize) -> String {
    let id = run["id"].as_str().unwrap();
    format!("/executions/{id}/destinations/{n}/retry")
}

#[tokio::test]
async fn f_314_one_destination_of_a_step_is_tried_again_once_and_nothing_else_is() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let places = "\n        - {type: file_export, transforms: [{type: pick, path: data}]}\n        - {type: folder, config: {folder_id: later}}\n";
    ana.playbook(&routing("to-later", places)).await;
    let run = ana.start(&agent, "to-later", rows()).await;
    let run = ana.reaches(&run, "partial").await;
    let id = run["id"].as_str().unwrap();
    let error = &run["response"]["outputs"][1]["error"];
    assert_eq!(error["code"], "FOLDER_NOT_FOUND", "{run:#}");
    let link = format!("/api/agent-factory{}", retry(&run, 1));
    assert_eq!(error["retry"], link.as_str());
    // Nobody else's, none that there is not, none that was written.
    let bea = person("bea", &["global:analyst"]).await;
    assert_eq!(bea.refused(&retry(&run, 1), Some(&json!({}))).await.0, 404);
    assert_eq!(ana.refused(&retry(&run, 7), Some(&json!({}))).await.0, 404);
    let delivered = (409, "OUTPUT_DELIVERED".to_owned());
    assert_eq!(ana.refused(&retry(&run, 0), Some(&json!({}))).await, delivered);
    // Another run makes the folder; then the result fits.
    let makes = "\n        - {type: folder, config: {folder_id: later, create_if_missing: true}}\n";
    ana.playbook(&routing("makes-later", makes)).await;
    let other = ana.start(&agent, "makes-later", rows()).await;
    ana.reaches(&other, "complete").await;
    let asked = ana.door.post(&link, &json!({})).await.unwrap();
    assert_eq!(asked["status"], "asked", "{asked:#}");
    let row = written(&ana, id, 1).await;
    assert_eq!((&row["step"], &row["details"]["folder_id"]), (&json!("publish"), &json!("later")));
    assert!(row.get("error").is_none(), "{row:#}");
    assert_eq!(in_folder(&ana, "later").await, 2, "one of each run");
    assert_eq!(ana.refused(&retry(&run, 1), Some(&json!({}))).await, delivered);
    let exports = ana.get("/exports").await;
    assert_eq!(exports["items"].as_array().unwrap().len(), 1, "nothing else is written again");
    assert_eq!(ana.run(id).await["state"], "partial", "the run stays as it was");
}

#[tokio::test]
async fn f_314_a_destination_of_the_agent_is_tried_again_as_it_is_now() {
    let ana = person("ana", &["global:analyst"]).await;
    let folder = |create: bool| json!([{ "type": "document", "config": { "folder_id": "mended", "create_if_missing": create } }]);
    let agent = routing_agent(&ana, &folder(false)).await;
    ana.playbook(&playbook("to-mended", "")).await;
    let run = finished(&ana, &agent, "to-mended", "partial").await;
    let output = json!({ "output_config": { "destinations": folder(true) } });
    let profile = format!("/api/agent-factory/profiles/{agent}");
    ana.door.patch(&profile, &output).await.unwrap();
    let id = run["id"].as_str().unwrap();
    let (is_done, said) =
        world().command(&["runs", "deliver", id, "0", "--as", &ana.username]).await;
    assert!(is_done && said.starts_with("asked"), "{said}");
    let row = written(&ana, id, 0).await;
    let document = row["details"]["document_id"].as_str().unwrap();
    let document = ana.get(&format!("/documents/{document}")).await;
    assert_eq!(document["run"], run["id"], "{document:#}");
    assert_eq!(in_folder(&ana, "mended").await, 1);
}

#[tokio::test]
async fn f_314_a_destination_is_the_same_one_wherever_the_agent_has_it_now() {
    let ana = person("ana", &["global:analyst"]).await;
    let to = |folder: &str, create: bool| json!({ "type": "document", "config": { "folder_id": folder, "create_if_missing": create } });
    let (missing, there) = (to("missing", false), to("there", true));
    let agent = routing_agent(&ana, &json!([missing, there])).await;
    ana.playbook(&playbook("to-moved", "")).await;
    let run = finished(&ana, &agent, "to-moved", "partial").await;
    let id = run["id"].as_str().unwrap();
    assert_eq!(run["response"]["outputs"][0]["error"]["code"], "FOLDER_NOT_FOUND", "{run:#}");
    assert_eq!(in_folder(&ana, "there").await, 1);
    let put = async |all: Value| {
        let output = json!({ "output_config": { "destinations": all } });
        ana.door.patch(&format!("/api/agent-factory/profiles/{agent}"), &output).await.unwrap();
    };
    // Nothing is written to what is in its place now.
    put(json!([there])).await;
    ana.post(&retry(&run, 0), &json!({})).await;
    until("the destination was tried", || async {
        let row = ana.run(id).await["response"]["outputs"][0].clone();
        (row["error"]["code"] == "OUTPUT_NOT_RETRYABLE").then_some(())
    })
    .await;
    // It is found where it is now; the two who ask at once write it once.
    put(json!([there, missing])).await;
    let makes =
        "\n        - {type: folder, config: {folder_id: missing, create_if_missing: true}}\n";
    ana.playbook(&routing("makes-missing", makes)).await;
    // By an agent without destinations, which the end of its run would write to.
    let maker = ana.agent(&[]).await;
    let made = ana.start(&maker, "makes-missing", rows()).await;
    ana.reaches(&made, "complete").await;
    let path = format!("/api/agent-factory{}", retry(&run, 0));
    let nothing = json!({});
    let (one, other) = tokio::join!(ana.door.post(&path, &nothing), ana.door.post(&path, &nothing));
    assert!(one.is_ok() || other.is_ok());
    written(&ana, id, 0).await;
    assert_eq!(in_folder(&ana, "there").await, 1, "nothing more");
    assert_eq!(in_folder(&ana, "missing").await, 2, "one of each run");
}

#[tokio::test]
async fn f_190_a_run_with_many_destinations_ends_and_its_notice_counts_what_it_does_not_tell() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let list = |missing: usize| {
        let place = |n| format!("        - {{type: folder, config: {{folder_id: missing-{n}}}}}\n");
        let places: String = (0..missing).map(place).collect();
        format!(
            "\n        - {{type: file_export, transforms: [{{type: pick, path: data}}]}}\n{places}"
        )
    };
    let too_many = json!({ "yaml": routing("to-51", &list(50)) });
    assert_eq!(ana.refused("/playbooks", Some(&too_many)).await.0, 422);
    let profile = format!("/api/agent-factory/profiles/{agent}");
    let chats = vec![json!({ "type": "chat" }); 51];
    let output = json!({ "output_config": { "destinations": chats } });
    let refused = refusal(ana.door.patch(&profile, &output).await);
    assert_eq!((refused.status, refused.places.len()), (422, 1), "{}", refused.said);
    ana.playbook(&routing("to-50", &list(49))).await;
    let run = ana.start(&agent, "to-50", rows()).await;
    let run = ana.reaches(&run, "partial").await;
    assert_eq!(run["record"].get("not_written"), None, "{run:#}");
    let notes = ana.get("/notifications").await;
    let message = notes["items"][0]["message"].as_str().unwrap();
    let rest = "Further destinations that were not written: 29.";
    assert!(message.contains(rest) && message.contains("is shortened"), "{message}");
    assert_eq!(message.matches("Not written: ").count(), 20, "{message}");
}

/// A step that writes to the agent's destinations, and people who are asked after it.
const ASKS_AFTER: &str = r#"
id: asks-after-routing
name: Asks after routing
description: Writes to the agent's destinations, then asks.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: filter, field: amount, operator: gte, value: 10}]
  - {name: publish, step_type: tool, action: route_output, inputs: {data: "{large}"}}
  - {name: ask, step_type: approval, preview_from: large.data, prompt: "Go on?"}
  - {name: after, step_type: tool, action: query_journal, inputs: {query: x}}
"#;

#[tokio::test]
async fn f_314_the_destinations_of_a_step_are_those_that_it_had_then() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let to = |folder: &str, create: bool| json!({ "type": "document", "config": { "folder_id": folder, "create_if_missing": create } });
    let (missing, there) = (to("gone", false), to("other", true));
    let agent = routing_agent(&ana, &json!([missing, there])).await;
    let profile = format!("/api/agent-factory/profiles/{agent}");
    let put = async |change: Value| ana.door.patch(&profile, &change).await.unwrap();
    put(json!({ "approvers": [maria.username] })).await;
    ana.playbook(ASKS_AFTER).await;
    let run = ana.start(&agent, "asks-after-routing", rows()).await;
    let request = maria.request(&run).await;
    // While people are asked, the list becomes another one.
    put(json!({ "output_config": { "destinations": [there] } })).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    let run = ana.reaches(&run, "partial").await;
    let row = &run["response"]["outputs"][0];
    assert_eq!(row["error"]["code"], "FOLDER_NOT_FOUND", "{run:#}");
    assert_eq!(in_folder(&ana, "other").await, 1);
    ana.post(&retry(&run, 0), &json!({})).await;
    until("the destination was tried", || async {
        let row = ana.run(run["id"].as_str().unwrap()).await["response"]["outputs"][0].clone();
        (row["error"]["code"] == "OUTPUT_NOT_RETRYABLE").then_some(())
    })
    .await;
    assert_eq!(in_folder(&ana, "other").await, 1, "nothing is written to what is in its place");
}

#[tokio::test]
async fn f_314_an_export_that_failed_is_tried_again_and_can_be_read() {
    let ana = person("ana", &["global:analyst"]).await;
    let export = |path: &str| {
        let transforms = json!([{ "type": "pick", "path": path }]);
        json!([{ "type": "file_export", "transforms": transforms }])
    };
    let agent = routing_agent(&ana, &export("count")).await;
    ana.playbook(&playbook("to-export", "")).await;
    let run = finished(&ana, &agent, "to-export", "partial").await;
    let row = &run["response"]["outputs"][0];
    assert_eq!((&row["destination"], &row["status"]), (&json!("file_export"), &json!("error")));
    assert_eq!(row["error"]["code"], "OUTPUT_NOT_RECORDS", "{row:#}");
    let link = row["error"]["retry"].as_str().unwrap().to_owned();
    assert_eq!(ana.get("/exports").await["items"], json!([]));
    let output = json!({ "output_config": { "destinations": export("data") } });
    let profile = format!("/api/agent-factory/profiles/{agent}");
    ana.door.patch(&profile, &output).await.unwrap();
    let asked = ana.door.post(&link, &json!({})).await.unwrap();
    assert_eq!(asked["status"], "asked", "{asked:#}");
    let row = written(&ana, run["id"].as_str().unwrap(), 0).await;
    let export = row["details"]["export_id"].as_str().unwrap();
    let shown = ana.get(&format!("/exports/{export}")).await;
    let file = reqwest::get(shown["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(file.text().await.unwrap(), "name,amount\r\na,5\r\n", "{shown:#}");
}

#[tokio::test]
async fn f_314_k_62_what_people_sign_before_it_is_written_is_not_tried_again_without_them() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    let places = "\n        - {type: chat}\n        - {type: folder, confirm: true, config: {folder_id: nowhere}}\n";
    ana.playbook(&routing("signed-nowhere", places)).await;
    let run = ana.start(&agent, "signed-nowhere", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    let run = ana.reaches(&run, "partial").await;
    let refused = ana.refused(&retry(&run, 1), Some(&json!({}))).await;
    assert_eq!(refused, (409, "OUTPUT_NEEDS_SIGNATURE".to_owned()));
}

#[tokio::test]
async fn f_288_f_290_f_291_rows_are_transformed_kept_exactly_and_written_once() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let table = r#"
        - type: data_workspace_table
          transforms: [{type: pick, path: data}, {type: rename, from: name, to: who}, {type: select, fields: [who, amount]}, {type: limit, count: 2}]
          config: {table_name: exact, create_if_missing: true, deduplication_key: [who], schema_mapping: {who: TEXT, amount: DECIMAL}}
        - {type: chat, condition: "{{count}} > 5"}
        - {type: file_export, format: csv, transforms: [{type: pick, path: data}], config: {filename_template: exact}}
"#;
    ana.playbook(&routing("exact-rows", table)).await;
    let given = json!({ "rows": [
        { "name": "b", "amount": "1000000000000000.01", "x": 1 }, { "name": "c", "amount": 25 },
        { "name": "d", "amount": 35 },
    ] });
    let (mut counts, mut export) = (Vec::new(), String::new());
    for _ in 0..2 {
        let run = ana.start(&agent, "exact-rows", given.clone()).await;
        let run = ana.reaches(&run, "complete").await;
        let outputs = run["response"]["outputs"].as_array().unwrap();
        assert_eq!(outputs[1]["status"], "skipped", "{outputs:#?}");
        outputs[2]["details"]["export_id"].as_str().unwrap().clone_into(&mut export);
        let details = &outputs[0]["details"];
        counts.push((details["rows_inserted"].clone(), details["rows_skipped"].clone()));
    }
    assert_eq!(counts, [(json!(2), json!(0)), (json!(0), json!(2))]);
    let table = ana.get("/workspaces/default/tables/exact/rows").await;
    let rows = table["items"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{table:#}");
    assert!(table.to_string().contains("\"1000000000000000.01\""), "{table:#}");
    assert!(rows.iter().all(|row| row.get("x").is_none() && row["_source"].is_string()));
    let shown = ana.get(&format!("/exports/{export}")).await;
    let file = reqwest::get(shown["url"].as_str().unwrap()).await.unwrap().text().await.unwrap();
    assert!(file.contains("b,1000000000000000.01,1\r\n"), "{file}");
}

const READ: &str = "
id: reads-and-enriches
name: Reads and enriches
required_connectors: [irs-990-xml]
inputs:
  - {name: filings, type: list}
steps:
  - name: officers
    step_type: tool
    action: call_connector
    inputs: {source: '{filings}'}
    params: {connector: irs-990-xml, endpoint: parse_990_officers}
output: {auto_enrich_graph: true}
";

#[tokio::test]
async fn f_287_f_293_f_316_f_398_a_playbook_enriches_the_graph_and_the_record_counts_relationships()
{
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "irs-990-xml").await;
    ana.playbook(READ).await;
    let filings = upload(&ana, vec![("a.xml".to_owned(), GOOD.as_bytes().to_vec())]).await;
    let body = json!({ "profile": agent, "playbook": "reads-and-enriches", "inputs": { "filings": filings } });
    let mut found = Vec::new();
    for _ in 0..2 {
        let line = ana.post("/executions", &body).await;
        assert_eq!(line["run_context"], "interactive");
        let run = ana.reaches(line["id"].as_str().unwrap(), "complete").await;
        let response = &run["response"];
        assert!(response["content"].as_str().unwrap().contains("ANN LEE"), "{run:#}");
        let counts = &run["record"]["entities"];
        found.push(counts["relationships_discovered"].as_u64().unwrap());
        assert_eq!(response["new_relationships"], counts["relationships_discovered"], "{run:#}");
    }
    assert!(found[0] >= 1 && found[1] == 0, "what is known is not found again: {found:?}");
    let statistics = ana.get("/statistics").await;
    assert_eq!(statistics["total"]["relationships_discovered"], json!(found[0]), "{statistics:#}");
    assert_eq!(statistics["days"][0]["relationships_discovered"], json!(found[0]));
}
