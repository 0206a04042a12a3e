//! A step that failed, with which the run goes on: whoever signs is told.

use serde_json::json;

use super::{ASK, following, playbook};
use crate::case::step;

/// A step that fails, with which the run goes on.
const NOTES: &str = "
  - name: notes
    description: Looks up the note.
    step_type: tool
    action: call_connector
    connector: test-accounts
    endpoint: notes
    on_error: skip
";

#[tokio::test]
async fn who_signs_sees_that_an_argument_is_left_out_because_a_step_failed() {
    let with_note = |id: &str| {
        let total = r#"inputs: {total: "{total}""#;
        let note = format!(r#"{total}, note: "{{notes.results[0].text}}""#);
        playbook(id, &format!("{NOTES}{ASK}")).replace(total, &note)
    };
    let case = following("pay-noteless", with_note, json!({ "total": "100.00" })).await;
    let (path, seen) = case.seen().await;
    assert_eq!(seen["warnings"][0]["step"], "notes", "{seen:#}");
    let told = seen["warnings"][0]["first"][0].as_str().unwrap();
    assert!(told.contains("`notes` failed"), "{told}");
    let page = case.maria.approver().open(&case.maria.link().await).await.unwrap().html;
    assert!(page.contains("1 warning about what this is based on"), "{page}");
    let stage = page.split("<li").find(|stage| stage.contains("Looks up the note.")).unwrap();
    assert!(stage.contains("failed") && !stage.contains("done"), "{stage}");
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&case.run, "partial").await;
    assert_eq!(step(&done, "notes")["status"], "failed", "{done:#}");
    assert_eq!(case.accounts.paid(), 1);
}
