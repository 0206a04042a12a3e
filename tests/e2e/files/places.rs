//! Two documents that want the same path: one gets it.

use serde_json::{Value, json};

use super::{Scene, one_step};
use crate::case::step;

const TO_ARCHIVE: &str = r#"inputs: {document_id: "{file}", target_folder_id: archive}"#;
const REMOVES: &str = r#"inputs: {document_id: "{file}"}, params: {confirm: true}"#;
const RESTORES: &str = r#"inputs: {document_id: "{file}"}"#;
const TAKEN: &str = "DOCUMENT_PATH_TAKEN";

/// The names in the folder `archive`.
async fn archived(scene: &Scene) -> Vec<Value> {
    let page = scene.ana.get("/documents?folder=archive").await;
    let mut names: Vec<Value> =
        page["items"].as_array().unwrap().iter().map(|one| one["filename"].clone()).collect();
    names.sort_by_key(Value::to_string);
    names
}

/// Runs a step that finds the path of its document taken.
async fn refused(scene: &Scene, id: &str, action: &str, arguments: &str, file: &str) {
    let run = scene.start(id, &one_step(id, action, arguments), file).await;
    let run = scene.ana.reaches(&run, "error").await;
    let act = step(&run, "act");
    assert_eq!(act["code"], TAKEN, "{run:#}");
    assert_eq!(act["approval"], Value::Null, "nobody is asked: {run:#}");
}

#[tokio::test]
async fn f_085_a_file_is_not_moved_to_the_path_of_another_one() {
    let scene = Scene::set().await;
    scene.file("makes-there", "archive/a.md", "there\n").await;
    let one = scene.file("makes-one", "inbox/a.md", "one\n").await;
    refused(&scene, "moves-onto", "move_file", TO_ARCHIVE, &one).await;
    assert_eq!(scene.text(&one).await, "one\n");
    // Two that are signed while the path is free.
    let left = scene.file("makes-left", "left/b.md", "left\n").await;
    let right = scene.file("makes-right", "right/b.md", "right\n").await;
    let (first, of_first) = scene.asks("moves-left", "move_file", TO_ARCHIVE, &left).await;
    let (second, of_second) = scene.asks("moves-right", "move_file", TO_ARCHIVE, &right).await;
    scene.decide(&of_first, "approve").await;
    scene.ana.reaches(&first, "complete").await;
    scene.decide(&of_second, "approve").await;
    let over = scene.ana.reaches(&second, "error").await;
    assert_eq!(step(&over, "act")["code"], TAKEN, "{over:#}");
    assert_eq!(archived(&scene).await, [json!("a.md"), json!("b.md")]);
    // Where one has left, another one may come.
    scene.file("makes-left-again", "left/b.md", "new\n").await;
    scene.signed("removes-b", "delete_file", REMOVES, &left).await;
    scene.signed("moves-right-again", "move_file", TO_ARCHIVE, &right).await;
    assert_eq!(archived(&scene).await, [json!("a.md"), json!("b.md")]);
}

#[tokio::test]
async fn k_47_a_removed_file_does_not_come_back_to_the_path_of_another_one() {
    let scene = Scene::set().await;
    let old = scene.file("makes-first", "archive/c.md", "old\n").await;
    scene.signed("removes-first", "delete_file", REMOVES, &old).await;
    let new = scene.file("makes-second", "archive/c.md", "new\n").await;
    assert_ne!(old, new);
    refused(&scene, "restores-onto", "restore_file", RESTORES, &old).await;
    let removed = scene.ana.get("/documents/removed").await;
    assert_eq!(removed["items"][0]["id"], json!(old), "it can be restored later: {removed:#}");
    scene.signed("removes-second", "delete_file", REMOVES, &new).await;
    let back = scene.reads("restores-first", "restore_file", RESTORES, &old).await;
    assert_eq!(back["path"], "archive/c.md");
    assert_eq!(scene.text(&old).await, "old\n");
}
