//! What an agent has set as its defaults.

use serde_json::json;

use super::{comes_to, disable, every_minute, follows, run_of};
use crate::case::{FACTORY, gated, person, rows, step};

#[tokio::test]
async fn f_168_f_199_k_11_an_agents_defaults_hold_where_schedule_and_request_say_nothing() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let defaults =
        json!({ "default_approval_policy": "auto_approve", "default_run_context": "background" });
    ana.door.patch(&format!("{FACTORY}/profiles/{agent}"), &defaults).await.unwrap();
    ana.playbook(&gated("rows-by-default", "")).await;
    follows(&ana, &agent, "rows-by-default", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({})).await;
    // Started by hand: its gates ask, whatever the default is.
    let body = json!({ "profile": agent, "playbook": "rows-by-default", "inputs": rows() });
    let line = ana.post("/executions", &body).await;
    assert_eq!(line["run_context"], "background", "{line:#}");
    let run = line["id"].as_str().unwrap();
    let waiting = ana.reaches(run, "awaiting_approval").await;
    assert_eq!(
        (&waiting["run_context"], &waiting["approval_policy"]),
        (&json!("background"), &json!("require"))
    );
    ana.post(&format!("/executions/{run}/cancel"), &json!({})).await;
    // Started by the clock: the gate before a reversible step opens by itself.
    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    let done = ana.reaches(&run_of(&started), "complete").await;
    assert_eq!(
        (&done["run_context"], &done["approval_policy"]),
        (&json!("scheduled"), &json!("auto_approve"))
    );
    assert_eq!(step(&done, "sign_off")["code"], "AUTO_APPROVED", "{done:#}");
}

#[tokio::test]
async fn f_132_k_11_require_of_a_playbook_stands_above_what_a_schedule_says() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let playbook = gated("rows-that-ask", "").replace(
        "execution_mode:",
        "run_context: scheduled\napproval_policy: require\nexecution_mode:",
    );
    ana.playbook(&playbook).await;
    follows(&ana, &agent, "rows-that-ask", &rows()).await;
    let automatic = json!({ "approval_policy": "auto_approve" });
    let schedule = every_minute(&ana, &agent, &automatic).await;
    let saved = ana.get(&format!("/schedules/{schedule}")).await;
    let body = json!({ "approval_policy": "auto_approve", "name": "Asks" });
    let path = format!("{FACTORY}/schedules/{schedule}");
    let said = ana.door.patch(&path, &body).await.unwrap();
    let warned = said["warnings"].to_string();
    assert!(warned.contains("the playbook says `require`"), "{saved:#} {said:#}");
    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    let waiting = ana.reaches(&run_of(&started), "awaiting_approval").await;
    assert_eq!(
        (&waiting["run_context"], &waiting["approval_policy"]),
        (&json!("scheduled"), &json!("require"))
    );
}
