//! What a run has written before it failed is not written again by its repetition (K-49).

use serde_json::{Value, json};

use super::{comes_to, disable, every_minute, follows, is_over, run_of, second_run};
use crate::case::{Person, person, rows, step};
use crate::model_repeats;

/// Writes wherever the deployment keeps something, then fails.
const WRITES: &str = r#"
id: writes-then-fails
name: Writes, then fails
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
  - {name: strategy, type: string, default: ml}
steps:
  - name: save
    step_type: tool
    action: save_to_workspace
    inputs: {data: "{rows}"}
    params: {table_name: written_once, create_if_missing: true}
  - name: route
    step_type: tool
    action: route_output
    inputs: {data: "{rows}"}
    params: {destinations: [{type: document, format: markdown, config: {folder_id: written-once, filename_template: rows.md, create_if_missing: true}}]}
  - name: plan
    step_type: tool
    action: create_todo
    inputs: {title: Look at the rows}
  - name: note
    step_type: tool
    action: write_journal_entry
    inputs: {summary: Rows were saved}
  - name: tell
    step_type: tool
    action: send_notification
    inputs: {message: Rows were saved}
  - name: fails
    step_type: tool
    action: extract_entities
    inputs: {data: "{rows}"}
    params: {strategy: "{strategy}"}
    on_error: stop
"#;

async fn items(ana: &Person, path: &str) -> Vec<Value> {
    ana.get(path).await["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn k_49_what_a_run_has_written_is_not_written_again_by_its_repetition() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(WRITES).await;
    follows(&ana, &agent, "writes-then-fails", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({ "max_retries": 1 })).await;
    let started = comes_to(&ana, &schedule, "started").await;
    ana.reaches(&run_of(&started), "error").await;
    disable_later(&ana, &schedule, &started["id"]).await;
    let rows = items(&ana, "/workspaces/default/tables/written_once/rows").await;
    assert_eq!(rows.len(), 3, "{rows:#?}");
    let documents = items(&ana, "/documents").await;
    let of_name = documents.iter().filter(|one| one["filename"] == "rows.md");
    assert_eq!(of_name.count(), 1, "{documents:#?}");
    assert_eq!(items(&ana, "/todos").await.len(), 1);
    for list in ["/journal", "/notifications"] {
        let all = items(&ana, list).await;
        let said = all.iter().filter(|one| one.to_string().contains("Rows were saved"));
        assert_eq!(said.count(), 1, "{list}: {all:#?}");
    }
}

/// Waits for the second run and its end; then nothing more is due.
async fn disable_later(ana: &Person, schedule: &str, occurrence: &Value) {
    let second = second_run(ana, schedule, occurrence).await;
    disable(ana, schedule).await;
    let over = is_over(ana, schedule, occurrence).await;
    assert_eq!(over["runs"].as_array().unwrap().len(), 2, "{over:#}");
    let ended = ana.run(&second).await;
    for name in ["save", "route", "plan", "note", "tell"] {
        assert_eq!(step(&ended, name)["status"], "done", "{name}: {ended:#}");
    }
}

#[tokio::test]
async fn k_49_f_145_a_schedules_repetition_keeps_the_answer_of_a_model() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(model_repeats::WRITES).await;
    let filings =
        json!([{ "name": "River Trust", "text": "Its auditor notes that loans were given." }]);
    follows(&ana, &agent, "model-writes-and-fails", &json!({ "filings": filings })).await;
    let schedule = every_minute(&ana, &agent, &json!({ "max_retries": 1 })).await;
    let started = comes_to(&ana, &schedule, "started").await;
    let first = run_of(&started);
    ana.reaches(&first, "error").await;
    let second = second_run(&ana, &schedule, &started["id"]).await;
    disable(&ana, &schedule).await;
    is_over(&ana, &schedule, &started["id"]).await;
    let ended = ana.run(&second).await;
    let kept = json!(format!("answered in {first}; not asked again"));
    assert_eq!(step(&ended, "write")["message"], kept, "{ended:#}");
    assert_eq!(step(&ended, "fails")["status"], "failed", "{ended:#}");
}
