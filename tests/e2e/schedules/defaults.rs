//! What holds where a schedule says nothing, and what stands above what it says.

use serde_json::json;

use super::{comes_to, disable, every_minute, follows, run_of};
use crate::case::{FACTORY, gated, person, rows, step};
use crate::responses::routing;

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

#[tokio::test]
async fn k_11_k_62_a_destination_that_is_to_be_confirmed_is_signed_in_runs_of_clocks_too() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let confirmed =
        "\n        - {type: document, confirm: true, config: {filename_template: \"rows.md\"}}\n";
    ana.playbook(&routing("confirmed-by-clock", confirmed)).await;
    follows(&ana, &agent, "confirmed-by-clock", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({ "approval_policy": "auto_approve" })).await;
    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    let run = run_of(&started);
    let request = maria.request(&run).await;
    let waiting = ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(waiting["approval_policy"], "auto_approve", "{waiting:#}");
    assert_eq!(ana.get("/documents").await["items"], json!([]), "it was written unsigned");
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(&run, "complete").await;
    assert_eq!(ana.get("/documents").await["items"].as_array().unwrap().len(), 1);
}
