//! Schedules at the door.

use countersign_cli::CliError;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person};

fn morning(agent: &str) -> Value {
    json!({
        "name": "Every morning", "profile_id": agent, "cron_expression": "0 6 * * MON-FRI",
        "timezone": "Europe/Berlin", "query_template": "What is new since {last_run_date}?",
    })
}

/// The status and code of a refused change.
async fn refused(ana: &Person, path: &str, body: &Value) -> (u16, String) {
    match ana.door.put(&format!("{FACTORY}{path}"), body).await {
        Err(CliError::Refused { status, code, .. }) => (status, code.unwrap_or_default()),
        other => panic!("{path} was not refused: {other:?}"),
    }
}

fn with(whole: &Value, name: &str, value: Value) -> Value {
    let mut changed = whole.clone();
    changed[name] = value;
    changed
}

#[tokio::test]
async fn f_361_to_f_364_a_schedule_is_kept_changed_and_removed() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let made = ana.post("/schedules", &morning(&agent)).await;
    assert_eq!(made["is_enabled"], false, "{made:#}");
    assert_eq!((&made["version"], &made["max_retries"]), (&json!(1), &json!(2)), "{made:#}");
    let path = format!("/schedules/{}", made["id"].as_str().unwrap());
    assert_eq!(ana.get(&path).await, made);
    let listed = ana.get(&format!("/schedules?kind={agent}")).await;
    assert_eq!(listed["items"], json!([made]));

    let later = with(&made, "cron_expression", json!("0 9 * * *"));
    let changed = ana.door.put(&format!("{FACTORY}{path}"), &later).await.unwrap();
    assert_eq!(changed["version"], 2, "{changed:#}");
    let seen = (409, "VERSION_CONFLICT".to_owned());
    assert_eq!(refused(&ana, &path, &later).await, seen, "it is of version 1");

    ana.door.delete(&format!("{FACTORY}{path}")).await.unwrap();
    assert_eq!(ana.refused(&path, None).await.0, 404);
}

#[tokio::test]
async fn f_204_no_schedule_is_enabled_without_a_clock() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let enabled = with(&morning(&agent), "is_enabled", json!(true));
    let invalid = (422, "SCHEDULE_INVALID".to_owned());
    assert_eq!(ana.refused("/schedules", Some(&enabled)).await, invalid);
    let said = ana.post("/schedules/validate", &enabled).await;
    assert_eq!(said["is_valid"], false, "{said:#}");
    assert_eq!(said["errors"][0]["path"], "is_enabled", "{said:#}");

    let made = ana.post("/schedules", &morning(&agent)).await;
    let path = format!("/schedules/{}", made["id"].as_str().unwrap());
    assert_eq!(refused(&ana, &path, &with(&made, "is_enabled", json!(true))).await, invalid);
    assert_eq!(ana.get(&path).await, made, "nothing was stored");
}

#[tokio::test]
async fn f_202_a_schedule_is_of_an_agent_one_has() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let (status, _) = maria.refused("/schedules", Some(&morning(&agent))).await;
    assert_eq!(status, 422, "it is ana's agent");
    let said = ana.post("/schedules/validate", &morning(&agent)).await;
    assert_eq!(said["is_valid"], true, "{said:#}");
    let made = ana.post("/schedules", &morning(&agent)).await;
    let path = format!("/schedules/{}", made["id"].as_str().unwrap());
    assert_eq!(maria.refused(&path, None).await.0, 404);

    ana.door.delete(&format!("{FACTORY}/profiles/{agent}")).await.unwrap();
    assert_eq!(ana.refused(&path, None).await.0, 404, "F-178: it went with its agent");
}
