//! A file that arrives in a folder.

use serde_json::{Value, json};

use super::{comes_to, compute, fired, made, run_of, trigger};
use crate::case::{Person, person};

/// A place for a file of this size in a folder.
pub(super) async fn place(ana: &Person, folder: &str, name: &str, size: usize) -> Value {
    let files = [json!({ "name": name, "size": size })];
    let places = ana.post("/uploads", &json!({ "folder": folder, "files": files })).await;
    places["items"].as_array().or_else(|| places.as_array()).unwrap()[0].clone()
}

pub(super) async fn upload(ana: &Person, folder: &str, name: &str) -> String {
    let content = b"a,b\n1,2\n".to_vec();
    let place = place(ana, folder, name, content.len()).await;
    ana.door.send(&place, content).await.unwrap();
    place["source"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn issue_14_a_file_that_arrives_starts_a_run_of_its_own() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("on-a-file")).await;
    let inputs = json!({ "rows": [{ "name": "{file.name}", "bytes": "{file.size}" }], "note": "{file.source}" });
    let on = |types: &[&str]| json!({ "type": "file", "folder": "incoming", "file_types": types });
    let all = made(&ana, &trigger(&agent, "on-a-file", &on(&[]), &inputs)).await;
    let pdf = made(&ana, &trigger(&agent, "on-a-file", &on(&["pdf"]), &inputs)).await;

    upload(&ana, "elsewhere", "a.csv").await;
    upload(&maria, "incoming", "a.csv").await;
    let source = upload(&ana, "incoming", "rows of today.csv").await;
    let started = comes_to(&ana, &all, "started").await;
    let by = &started["fired_by"];
    assert_eq!((&by["source"], &by["name"]), (&json!(source), &json!("rows of today.csv")));
    ana.reaches(&run_of(&started), "complete").await;
    let output = ana.get(&format!("/executions/{}/outputs/large", run_of(&started))).await;
    assert!(output.to_string().contains("rows of today.csv"), "{output:#}");
    assert_eq!(fired(&ana, &all).await.len(), 1, "one file, one run");
    assert_eq!(fired(&ana, &pdf).await.len(), 0, "it is not a PDF");
}
