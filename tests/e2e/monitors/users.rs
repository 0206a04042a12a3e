//! What is said to whoever changes or removes a playbook that monitors look with.

use serde_json::{Value, json};

use super::{SAVE, playbook, watching};
use crate::case::{FACTORY, refusal};

#[tokio::test]
async fn issue_14_a_playbook_that_something_runs_with_is_not_removed() {
    let watch = watching().await;
    let path = format!("{FACTORY}/playbooks/watch-notices");
    let said = refusal(watch.ana.door.delete(&path).await);
    assert_eq!((said.status, said.code.as_str()), (409, "PLAYBOOK_IN_USE"), "{}", said.said);
    assert!(said.said.contains(&watch.monitor), "{}", said.said);
    watch.ana.get("/playbooks/watch-notices").await;
    watch.ana.door.delete(&format!("{FACTORY}/monitors/{}", watch.monitor)).await.unwrap();
    let schedule = json!({
        "name": "Weekly", "profile_id": watch.agent, "cron_expression": "0 6 * * MON", "query_template": "?",
        "playbook_id": "watch-notices",
    });
    let schedule = watch.ana.post("/schedules", &schedule).await["id"].clone();
    let schedule = schedule.as_str().unwrap();
    let said = refusal(watch.ana.door.delete(&path).await);
    assert!(said.status == 409 && said.said.contains(schedule), "{}", said.said);
    watch.ana.door.delete(&format!("{FACTORY}/schedules/{schedule}")).await.unwrap();
    watch.ana.door.delete(&path).await.unwrap();
}

#[tokio::test]
async fn issue_14_whoever_renames_a_detection_step_is_told_which_monitors_look_anew() {
    let watch = watching().await;
    let path = format!("{FACTORY}/playbooks/watch-notices");
    let put = async |yaml: String| {
        let saved = watch.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
        let all = saved["warnings"].as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|one| one["code"] == "P113").collect::<Vec<_>>()
    };
    assert_eq!(put(playbook(SAVE)).await, Vec::<Value>::new());
    let renamed = playbook(SAVE).replace("name: look", "name: see").replace("look.", "see.");
    let [warning] = put(renamed).await.try_into().unwrap();
    let message = warning["message"].as_str().unwrap();
    assert!(message.contains(&watch.monitor) && message.contains("`see`"), "{message}");
    assert_eq!(watch.of("state").await["steps_changed"], Value::Null);
    let state = watch.look().await;
    assert_eq!(state["last_outcome"], "baseline", "as it was said");
    let changed = &state["steps_changed"];
    assert_eq!((&changed["new"], &changed["gone"]), (&json!(["see"]), &json!(["look"])));
    assert_eq!(watch.look().await["steps_changed"]["at"], changed["at"], "it is seen once");
    let page = watch.ana.get(&format!("/profiles/{}/journal", watch.agent)).await;
    let entries = page["items"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{entries:#?}");
    let summary = entries[0]["summary"].as_str().unwrap();
    for says in ["New here: `see`", "is not reported", "No longer in the playbook: `look`"] {
        assert!(summary.contains(says), "{summary}");
    }
}
