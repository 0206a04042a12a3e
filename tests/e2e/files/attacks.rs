//! Names that mislead, and files that are not what they were: nothing is done that nobody saw.

use serde_json::json;

use super::{Scene, one_step, playbook, says, shown};
use crate::case::{step, until};

const MAKES: &str = r#"inputs: {document_id: "{file}", edits: [{operation: append, content: "x"}]}, params: {create_if_missing: true}"#;

#[tokio::test]
async fn f_083_k_25_a_path_that_misleads_makes_no_file() {
    let scene = Scene::set().await;
    let yaml = one_step("misleads", "patch_file", MAKES);
    scene.ana.playbook(&yaml).await;
    let id = format!("doc_{}", "0".repeat(32));
    let odd =
        ["../a.md", "made/..", "made/../a.md", "made/ b.md", "made\\b.md", "made/a\u{202e}dm.b"];
    for path in odd.into_iter().chain(["", "/a.md", id.as_str()]) {
        let run = scene.ana.start(&scene.agent, "misleads", json!({ "file": path })).await;
        let run = scene.ana.reaches(&run, "error").await;
        assert_eq!(step(&run, "act")["approval"], json!(null), "nobody is asked: {run:#}");
    }
    assert_eq!(scene.ana.get("/documents").await["items"], json!([]));
    assert_eq!(scene.maria.get("/approvals?status=pending").await["items"], json!([]));
}

#[tokio::test]
async fn f_083_k_25_a_name_that_looks_like_another_is_shown_as_a_new_file() {
    let scene = Scene::set().await;
    let id = scene.file("makes-real", "made/notes.md", "real\n").await;
    // The second letter is Greek.
    let (run, path) = scene.asks("looks-alike", "patch_file", MAKES, "made/n\u{3bf}tes.md").await;
    let seen = scene.maria.get(&path).await;
    let (target, fields) = shown(&seen);
    assert_eq!(target["method"], "CREATE", "{seen:#}");
    assert!(!fields.iter().any(|(name, _)| name.starts_with("before")), "{fields:?}");
    scene.decide(&path, "reject").await;
    scene.ana.reaches(&run, "rejected").await;
    assert_eq!(scene.text(&id).await, "real\n");
}

#[tokio::test]
async fn f_084_k_25_a_file_that_is_not_what_was_shown_is_not_removed() {
    let scene = Scene::set().await;
    let id = scene.file("makes-kept", "kept/a.md", "one\n").await;
    let steps = r#"  - {name: ask, step_type: approval, prompt: "Remove it?"}
  - {name: act, step_type: tool, action: delete_file, inputs: {document_id: "{file}"}, params: {confirm: true}}
"#;
    let run = scene.start("removes-kept", &playbook("removes-kept", steps), &id).await;
    let gate = scene.path(&run).await;
    says(&shown(&scene.maria.get(&gate).await).1, "text", "one\n");
    let edits =
        r#"inputs: {document_id: "{file}", edits: [{operation: append, content: "two\n"}]}"#;
    scene.signed("adds-two", "patch_file", edits, &id).await;
    scene.decide(&gate, "approve").await;
    let own = until("the step asks for itself", || async {
        let path = scene.path(&run).await;
        (path != gate).then_some(path)
    })
    .await;
    says(&shown(&scene.maria.get(&own).await).1, "text", "one\ntwo\n");
    scene.decide(&own, "reject").await;
    scene.ana.reaches(&run, "rejected").await;
    assert_eq!(scene.text(&id).await, "one\ntwo\n");
    assert_eq!(scene.ana.get("/documents/removed").await["items"], json!([]));
}
