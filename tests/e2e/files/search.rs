//! Documents that are searched.

use serde_json::{Value, json};

use super::{Scene, one_step};
use crate::case::person;

/// The titles that were found.
fn titles(found: &Value) -> Vec<&str> {
    let documents = found["documents"].as_array().unwrap();
    documents.iter().map(|one| one["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn f_044_documents_are_searched_by_words_and_only_ones_own() {
    let scene = Scene::set().await;
    let boats = format!("{}\nThe auditor notes a loan for four boats.\n", "The fund. ".repeat(78));
    let id = scene.file("makes-boats", "papers/boats.md", &boats).await;
    scene.file("makes-owls", "papers/owls.md", "Owls, and the auditor.\n").await;
    scene.file("makes-csv", "tables/rows.csv", "auditor,loan\n").await;
    let query = "inputs: {query: LOAN boats}";
    let found = scene.reads("searches", "search_documents", query, "").await;
    let best = &found["documents"][0];
    assert_eq!((&found["count"], &found["method"]), (&json!(2), &json!("words")), "{found:#}");
    assert_eq!(best["document_id"], json!(id), "{found:#}");
    assert_eq!(best["folder_path"], "papers", "{found:#}");
    assert_eq!(best["snippet"], "The auditor notes a loan for four boats.", "{found:#}");
    assert_eq!(best["line"], 2, "{found:#}");
    assert_eq!(found["warning_count"], 0, "{found:#}");
    let narrow = "inputs: {query: auditor}, params: {folder_id: papers, max_results: 1}";
    let found = scene.reads("searches-one", "search_documents", narrow, "").await;
    assert_eq!(titles(&found), ["owls"], "the shorter passage: {found:#}");
    let tables = "inputs: {query: auditor}, params: {file_types: [.CSV]}";
    let found = scene.reads("searches-tables", "search_documents", tables, "").await;
    assert_eq!(titles(&found), ["rows"], "{found:#}");
    // What is removed is not found any more.
    let removes = r#"inputs: {document_id: "{file}"}, params: {confirm: true}"#;
    scene.signed("removes-boats", "delete_file", removes, &id).await;
    let found =
        scene.reads("searches-boats", "search_documents", "inputs: {query: boats}", "").await;
    assert_eq!(found["count"], 0, "{found:#}");
    let found =
        scene.reads("searches-signs", "search_documents", "inputs: {query: \"?!\"}", "").await;
    assert_eq!(found["warnings"], json!(["the query has no words"]), "{found:#}");
    // Somebody else finds nothing of it.
    let bea = person("bea", &["global:analyst"]).await;
    let agent = bea.agent(&[&scene.maria]).await;
    bea.playbook(&one_step("searches-theirs", "search_documents", "inputs: {query: auditor}"))
        .await;
    let run = bea.start(&agent, "searches-theirs", json!({ "file": "" })).await;
    bea.reaches(&run, "complete").await;
    let found = bea.get(&format!("/executions/{run}/outputs/act")).await;
    assert_eq!(found["output"]["count"], 0, "{found:#}");
}
