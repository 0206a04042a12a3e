//! The summary of what a run gives back, where its model fails.

use serde_json::json;
use wiremock::ResponseTemplate;

use super::Stage;
use crate::case::{rows, step};
use crate::models::said;
use crate::responses::playbook;

/// What it would have summed up is kept and saved all the same, and a repetition asks once more.
pub(super) async fn what_has_no_summary_is_kept(stage: &Stage) {
    let output = r#"
output:
  format: json
  save_to: document
  summary_prompt: Name what is kept.
  sections:
    - {title: Kept, source: "{sorted.data}"}
    - {title: More, source: never.data}
"#;
    let hybrid = playbook("sums-up", output).replace("mode: deterministic", "mode: hybrid");
    stage.who.playbook(&hybrid).await;
    stage.answers(vec![ResponseTemplate::new(400)]).await;
    let run = stage.who.start(&stage.agent, "sums-up", rows()).await;
    let ended = stage.who.reaches(&run, "partial").await;
    assert_eq!(step(&ended, "summary")["status"], "failed", "{ended:#}");
    let response = &ended["response"];
    assert_eq!(response["outputs"][0]["status"], "success", "{response:#}");
    let problems = response["problems"].to_string();
    assert!(problems.contains("the section “Summary” is not known"), "{problems}");
    let asked = &stage.asked().await[0]["messages"];
    let told = asked[1]["content"].as_str().unwrap();
    assert!(told.contains("Name what is kept.") && told.contains(r#""More":null"#), "{told}");
    assert!(told.contains(r#""Kept":[{"#), "{told}");

    stage.answers(vec![said(r#"{"summary": "One row of 5."}"#)]).await;
    let again = stage.who.post(&format!("/executions/{run}/repeat"), &json!({})).await;
    let again = stage.who.reaches(again["id"].as_str().unwrap(), "complete").await;
    let content = again["response"]["content"].as_str().unwrap();
    assert!(content.contains(r#""summary": "One row of 5.""#), "{content}");
}
