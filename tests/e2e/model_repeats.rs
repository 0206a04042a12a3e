//! Steps of models in a repetition: what was answered is not asked again.

use serde_json::json;

use crate::case::{person, step};

/// A model writes, and the step behind it fails.
pub(crate) const WRITES: &str = r#"
id: model-writes-and-fails
name: Writes and fails
description: A model writes, and the step behind it fails.
version: 1.0.0
inputs:
  - {name: filings, type: list, required: true}
  - {name: strategy, type: string, default: ml}
steps:
  - name: write
    step_type: llm_task
    action: synthesize_report
    inputs: {data: "{filings}"}
    params: {instructions: What auditors say.}
    output_schema: {type: object, fields: [{name: report, type: string, description: The report}]}
  - name: fails
    step_type: tool
    action: extract_entities
    inputs: {data: [{text: "{write.report}"}]}
    params: {strategy: "{strategy}"}
    on_error: stop
"#;

#[tokio::test]
async fn k_49_f_145_a_repetition_keeps_the_answer_of_a_model() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(WRITES).await;
    let text =
        "The trust cleans rivers. Its auditor notes that loans were given without a contract.";
    let filings = json!({ "filings": [{ "name": "River Trust", "text": text }] });
    let first = ana.start(&agent, "model-writes-and-fails", filings).await;
    let failed = ana.reaches(&first, "error").await;
    assert_eq!(step(&failed, "write")["message"], json!(null), "{failed:#}");
    let again = ana.post(&format!("/executions/{first}/repeat"), &json!({})).await;
    let second = again["id"].as_str().unwrap();
    let failed = ana.reaches(second, "error").await;
    let kept = step(&failed, "write");
    assert_eq!(kept["message"], json!(format!("answered in {first}; not asked again")), "{kept:#}");
    let output = async |run: &str| ana.get(&format!("/executions/{run}/outputs/write")).await;
    assert_eq!(output(&first).await["output"], output(second).await["output"]);
}
