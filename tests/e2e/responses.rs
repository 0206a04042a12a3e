//! What a run gives back when it is over: its answer, and its results where playbook and profile want them.

use serde_json::{Value, json};

use crate::case::{Person, gated, person, rows, step};

/// Sorts rows, skips a step, and says what it gives back.
pub(crate) fn playbook(id: &str, output: &str) -> String {
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

pub(crate) async fn finished(ana: &Person, agent: &str, playbook: &str, state: &str) -> Value {
    let run = ana.start(agent, playbook, rows()).await;
    ana.reaches(&run, state).await;
    ana.run(&run).await
}

/// An agent of ana's with these destinations.
pub(crate) async fn routing_agent(ana: &Person, destinations: &Value) -> String {
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
async fn f_136_a_run_sums_up_what_it_gives_back() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let output = r"
output:
  summary_prompt: Name what is kept.
  sections:
    - {title: Kept, source: sorted.data}
    - {title: More, source: never.data}
";
    let exact = playbook("sums-up", output);
    let judged = ana.post("/playbooks/validate", &json!({ "yaml": exact })).await;
    assert_eq!(judged["errors"][0]["code"], "P022", "{judged:#}");
    ana.playbook(&exact.replace("mode: deterministic", "mode: hybrid")).await;
    let run = finished(&ana, &agent, "sums-up", "complete").await;
    let summary = step(&run, "summary");
    assert_eq!(summary["model"]["model_used"], "extractive", "{run:#}");
    let content = run["response"]["content"].as_str().unwrap();
    let (summary, kept) = content.split_once("## Kept\n").unwrap();
    assert!(summary.contains("## Summary\n"), "{content}");
    assert!(summary.contains("amount: 5"), "it quotes the row: {content}");
    assert!(kept.contains('5') && kept.contains("Not known"), "{content}");
    let warnings = run["warnings"].to_string();
    assert!(warnings.contains("written by the model"), "{warnings}");
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

#[tokio::test]
async fn f_136_a_section_shows_a_whole_parallel_step_and_a_saved_document_has_the_playbooks_name() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let yaml = r#"
id: both-results
name: Both results
description: Sorts rows twice at once.
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: both
    step_type: tool
    action: parallel
    parallel_steps:
      - name: small
        step_type: tool
        action: transform_data
        inputs: {data: "{rows}"}
        operations: [{type: limit, value: 1}]
      - name: large
        step_type: tool
        action: transform_data
        inputs: {data: "{rows}"}
        operations: [{type: limit, value: 2}]
output:
  format: json
  save_to: document
  sections:
    - {title: Both, source: both}
"#;
    ana.playbook(yaml).await;
    let run = finished(&ana, &agent, "both-results", "complete").await;
    let content: Value =
        serde_json::from_str(run["response"]["content"].as_str().unwrap()).unwrap();
    assert_eq!(content["both"]["small"]["count"], 1, "{content:#}");
    assert_eq!(content["both"]["large"]["count"], 2);
    let details = &run["response"]["outputs"][0]["details"];
    assert_eq!(details["title"], "Both results", "{run:#}");
}

#[tokio::test]
async fn f_136_an_answer_is_csv_or_structured_where_the_playbook_says_so() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let sections = "[{title: First row, source: sorted.data}]";
    for format in ["csv", "structured"] {
        let output =
            format!("output: {{format: {format}, save_to: document, sections: {sections}}}\n");
        ana.playbook(&playbook(&format!("as-{format}"), &output)).await;
        let run = finished(&ana, &agent, &format!("as-{format}"), "complete").await;
        let response = &run["response"];
        assert_eq!(response["format"], format, "{run:#}");
        let content = response["content"].as_str().unwrap();
        if format == "csv" {
            assert_eq!(content, "name,amount\r\na,5\r\n");
        } else {
            let content: Value = serde_json::from_str(content).unwrap();
            let section = &content["sections"][0];
            assert_eq!(section["title"], "First row", "{content:#}");
            assert!(section.to_string().contains("\"a\""), "{content:#}");
        }
        let document = response["outputs"][0]["details"]["document_id"].as_str().unwrap();
        let document = ana.get(&format!("/documents/{document}")).await;
        assert_eq!(document["body"], content, "{document:#}");
        let media = if format == "csv" { "text/csv" } else { "application/json" };
        assert!(document["media_type"].as_str().unwrap().starts_with(media), "{document:#}");
    }
}

#[tokio::test]
async fn f_281_f_283_f_285_f_286_results_go_to_folders_tables_files_and_documents_that_exist() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&routing(
        "files",
        r#"
        - {type: folder, config: {folder_id: sorted, create_if_missing: true, title: "All rows"}}
        - {type: file_export, transforms: [{type: pick, path: data}]}
        - type: data_workspace_db
          config:
            tables:
              - {table_name: large_rows, source: data}
              - {table_name: also_large, source: data, deduplication_key: [name]}
"#,
    ))
    .await;
    let run = ana.start(&agent, "files", rows()).await;
    let run = ana.reaches(&run, "complete").await;
    let outputs = &run["response"]["outputs"];
    assert_eq!(outputs[0]["details"]["folder_id"], "sorted", "{outputs:#}");
    let link = outputs[1]["details"]["link"].as_str().unwrap();
    let export = ana.door.get(link).await.unwrap();
    assert!(export["url"].as_str().unwrap().starts_with("http"), "{export:#}");
    let inserted: Vec<_> =
        (0..2).map(|n| outputs[2]["details"]["tables"][n]["rows_inserted"].clone()).collect();
    assert_eq!(inserted, [json!(2), json!(2)], "{outputs:#}");
    let table = ana.get("/workspaces/default/tables/also_large/rows").await;
    assert_eq!(table["items"].as_array().unwrap().len(), 2, "{table:#}");

    let document = outputs[0]["details"]["document_id"].as_str().unwrap();
    let id =
        format!("{{type: append_to_existing, config: {{document_id: {document}, title: Later}}}}");
    ana.playbook(&routing("adds", &format!("\n        - {id}\n"))).await;
    for _ in 0..2 {
        let run = ana.start(&agent, "adds", rows()).await;
        ana.reaches(&run, "complete").await;
    }
    let document = ana.get(&format!("/documents/{document}")).await;
    let body = document["body"].as_str().unwrap();
    assert_eq!((body.matches("# All rows").count(), body.matches("# Later").count()), (1, 2));
    assert_eq!(document["bytes"], body.len());
    assert!(document["updated_at"].is_string(), "{document:#}");
}

/// Sends the large rows to these destinations.
pub(crate) fn routing(id: &str, destinations: &str) -> String {
    format!(
        r#"
id: {id}
name: Routes
description: Sends rows to destinations.
execution_mode: deterministic
inputs:
  - {{name: rows, type: list, required: true}}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {{data: "{{rows}}"}}
    operations: [{{type: filter, field: amount, operator: gte, value: 10}}]
  - name: publish
    step_type: tool
    action: route_output
    inputs: {{data: "{{large}}"}}
    params:
      destinations:{destinations}
"#
    )
}

#[tokio::test]
async fn f_292_f_314_a_step_that_reached_some_destinations_says_so_and_its_run_is_partial() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let table = "{type: data_workspace_table, config: {table_name: fixed, source: data, create_if_missing: true, schema_mapping: {COLUMN: TEXT}}}";
    let both = |column: &str| {
        format!("\n        - {{type: chat}}\n        - {}\n", table.replace("COLUMN", column))
    };
    ana.playbook(&routing("fits", &both("name"))).await;
    let run = ana.start(&agent, "fits", rows()).await;
    ana.reaches(&run, "complete").await;
    ana.playbook(&routing("does-not-fit", &both("amount"))).await;
    let run = ana.start(&agent, "does-not-fit", rows()).await;
    let run = ana.reaches(&run, "partial").await;
    let publish = step(&run, "publish");
    assert_eq!((&publish["status"], &publish["code"]), (&json!("done"), &json!("PARTLY_DONE")));
    let message = publish["message"].as_str().unwrap();
    assert!(message.starts_with("1 of 2 destinations could not be written"), "{message}");
    assert!(message.contains("its columns are `name` TEXT"), "{message}");
    let retry = run["response"]["outputs"][1]["error"]["retry"].as_str().unwrap();
    let again = ana.door.post(retry, &json!({})).await.unwrap();
    assert_eq!((&again["id"], &again["destination"]), (&run["id"], &json!(1)));
}

#[tokio::test]
async fn k_62_a_destination_that_is_to_be_confirmed_is_written_only_after_a_signature() {
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    let confirmed = "\n        - {type: document, confirm: true, config: {filename_template: \"rows_{{date}}.md\"}}\n";
    ana.playbook(&routing("confirmed", confirmed)).await;
    for (word, state, written) in [("reject", "partial", 0), ("approve", "complete", 1)] {
        let run = ana.start(&agent, "confirmed", rows()).await;
        let request = maria.request(&run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = maria.get(&path).await;
        let prompt = seen["prompt"].as_str().unwrap();
        assert!(prompt.contains("writes this to document `rows_{date}.md`"), "{prompt}");
        assert_eq!(seen["preview"]["shown"]["count"], 2, "{seen:#}");
        assert_eq!(ana.get("/documents").await["items"], json!([]));
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        maria.post(&format!("{path}/{word}"), &decision).await;
        let run = ana.reaches(&run, state).await;
        assert_eq!(step(&run, "publish")["code"].is_null(), word == "approve", "{run:#}");
        let documents = ana.get("/documents").await;
        assert_eq!(documents["items"].as_array().unwrap().len(), written);
    }
}

#[tokio::test]
async fn f_132_f_168_mode_and_policy_of_a_run_are_in_its_record() {
    let ana = person("ana", &["global:analyst"]).await;
    let profile = json!({
        "name": "Modes", "handle": format!("{}-modes", ana.username),
        "default_execution_mode": "deterministic",
    });
    let agent = ana.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned();
    ana.playbook(&playbook("mode-said", "")).await;
    let unsaid = playbook("mode-unsaid", "").replace("execution_mode: deterministic\n", "");
    ana.playbook(&unsaid).await;
    let start = |playbook: &str, mode: Value| {
        let body = json!({ "profile": agent, "playbook": playbook, "inputs": rows(), "execution_mode": mode });
        let ana = &ana;
        async move { ana.post("/executions", &body).await }
    };
    for (playbook, asked, expect) in [
        ("mode-said", json!("hybrid"), "hybrid"),
        ("mode-said", json!("llm_augmented"), "llm_augmented"),
        ("mode-said", Value::Null, "deterministic"),
        ("mode-unsaid", Value::Null, "deterministic"),
    ] {
        let line = start(playbook, asked).await;
        let run = ana.reaches(line["id"].as_str().unwrap(), "complete").await;
        assert_eq!(run["execution_mode"], expect, "{run:#}");
        // A playbook whose steps a model may do is followed as one; a deterministic one is a pipeline.
        let strategy = if expect == "deterministic" { "pipeline" } else { "playbook" };
        assert_eq!(run["strategy"], strategy, "{run:#}");
        assert_eq!(
            (&run["approval_policy"], &run["run_context"]),
            (&json!("require"), &json!("interactive"))
        );
    }
    let clock = json!({ "profile": agent, "playbook": "mode-said", "inputs": rows(), "run_context": "monitor" });
    assert_eq!(ana.refused("/executions", Some(&clock)).await.0, 422);
}
