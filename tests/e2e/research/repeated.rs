//! A repetition that takes over what a model with tools has answered.

use serde_json::json;

use super::{FOUND, asking, looks, stage};
use crate::case::{FACTORY, step};
use crate::models::said;

/// A sum that leaves a record out.
const SUM: &str = r#"{"data": [{"a": 1}, {"a": null}], "operations": [{"type": "aggregate", "function": "sum", "field": "a", "as": "total"}]}"#;

/// Fails behind the step of the model.
const FAILS: &str = "  - {name: fails, step_type: tool, action: extract_entities, inputs: {data: [{text: \"{question}\"}]}, params: {strategy: \"{strategy}\"}, on_error: stop}\n";

#[tokio::test]
async fn k_49_f_311_an_answer_that_is_taken_over_keeps_to_on_warning() {
    let stage = stage("countersign-research-repeated", &[]).await;
    let failing = looks("looks-again", "transform_data", "").replace(
        "required: true}\n",
        "required: true}\n  - {name: strategy, type: string, default: ml}\n",
    ) + FAILS;
    stage.who.playbook(&failing).await;
    stage.answers(vec![asking(&[("transform_data", SUM)]), said(FOUND)]).await;
    let (first, look) = stage.runs("looks-again", "error").await;
    // The record that was left out, and that a model wrote the answer.
    assert_eq!((&look["status"], &look["warnings"]), (&json!("done"), &json!(2)), "{look:#}");

    let again = async || {
        let path = format!("/executions/{first}/repeat");
        let run = stage.who.post(&path, &json!({})).await["id"].as_str().unwrap().to_owned();
        let ended = stage.who.reaches(&run, "error").await;
        step(&ended, "look").clone()
    };
    let stopping =
        failing.replace("    on_error: stop\n", "    on_error: stop\n    on_warning: stop\n");
    let path = format!("{FACTORY}/playbooks/looks-again");
    stage.who.door.put(&path, &json!({ "yaml": stopping })).await.unwrap();
    let stopped = again().await;
    assert_eq!(stopped["code"], "WARNINGS_FOUND", "{stopped:#}");
    assert_eq!(stage.asked().await.len(), 2, "the model was asked again");
}
