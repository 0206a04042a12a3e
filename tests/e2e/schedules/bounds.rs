//! How many schedules, monitors and triggers a person may have.

use futures::StreamExt as _;
use serde_json::{Value, json};

use super::morning;
use crate::case::{FACTORY, Person, person};

/// As `docs/schedules.md`, `docs/monitors.md` and `docs/triggers.md` say.
const MOST: usize = 100;

/// Makes as many of a kind as there may be: one more is refused, until one is removed. Changing one is no other one.
async fn has_no_more(ana: &Person, kind: &str, one: &Value, code: &str) {
    let made = futures::stream::iter(0..MOST).map(|_| ana.post(kind, one));
    let made: Vec<_> = made.buffer_unordered(4).collect().await;
    let refused = ana.refused(kind, Some(one)).await;
    assert_eq!(refused, (422, code.to_owned()));
    let first = made[0]["id"].as_str().unwrap();
    let path = format!("{FACTORY}{kind}/{first}");
    ana.door.patch(&path, &json!({ "name": "Another" })).await.unwrap();
    ana.door.delete(&path).await.unwrap();
    ana.post(kind, one).await;
}

#[tokio::test]
async fn p_003_a_person_has_so_many_schedules_and_no_more() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    has_no_more(&ana, "/schedules", &morning(&agent), "SCHEDULES_TOO_MANY").await;
}

/// A playbook whose first step looks for files.
const LOOKS: &str = "
id: bounds-look
name: Looks
description: Looks for files.
version: 1.0.0
execution_mode: deterministic
steps:
  - name: look
    step_type: tool
    action: detect_new_files
    inputs: {folder_id: desk}
";

#[tokio::test]
async fn f_210_a_person_has_so_many_monitors_and_triggers_and_no_more() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(LOOKS).await;
    let of = |more: Value| {
        let mut one = json!({ "name": "One", "profile_id": agent, "playbook_id": "bounds-look", "is_active": false });
        one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        one
    };
    let monitor = of(json!({ "interval": "24h" }));
    has_no_more(&ana, "/monitors", &monitor, "MONITORS_TOO_MANY").await;
    let trigger = of(json!({ "on": { "type": "webhook" }, "inputs": {} }));
    has_no_more(&ana, "/triggers", &trigger, "TRIGGERS_TOO_MANY").await;
}
