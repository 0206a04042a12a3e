//! Time limits, rights that were taken away, schedules that are switched off, and what `{last_run_date}` is.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{comes_to, disable, every_minute, follows, is_over, occurrences, run_of, tick};
use crate::case::{FACTORY, gated, person, revoke, rows};
use crate::provider_server;

/// A source that answers late, and a playbook that asks it.
pub(crate) async fn slow() -> (MockServer, String, &'static str) {
    let server = provider_server::start().await;
    let late = ResponseTemplate::new(200)
        .set_body_json(json!({ "items": [] }))
        .set_delay(Duration::from_secs(25));
    Mock::given(any()).respond_with(late).mount(&server).await;
    let connector = format!(
        "
id: slow
name: Slow
type: rest_api
version: 1.0.0
description: Answers late.
connection:
  base_url: {}
  auth: {{type: none}}
endpoints:
  all:
    description: Everything.
    method: GET
    path: /all
    response_mapping: {{results_path: items, entity_type: thing, fields: {{id: id}}}}
",
        server.uri()
    );
    let asks = "
id: asks-slowly
name: Asks slowly
description: Asks a source that takes its time.
version: 1.0.0
execution_mode: deterministic
steps:
  - {name: first, step_type: tool, action: call_connector, connector: slow, endpoint: all}
  - {name: second, step_type: tool, action: call_connector, connector: slow, endpoint: all, depends_on: [first]}
";
    (server, connector, asks)
}

#[tokio::test]
async fn f_206_a_run_that_works_for_too_long_is_ended_and_not_repeated() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let (_server, connector, asks) = slow().await;
    ana.post("/connectors", &json!({ "yaml": connector })).await;
    ana.bind(&agent, "slow").await;
    ana.playbook(&asks.replace(", depends_on: [first]", "")).await;
    follows(&ana, &agent, "asks-slowly", &json!({})).await;
    let limits = json!({ "timeout_seconds": 1, "max_retries": 3 });
    let schedule = every_minute(&ana, &agent, &limits).await;
    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    let over = is_over(&ana, &schedule, &started["id"]).await;
    assert_eq!(over["status"], "timeout", "{over:#}");
    assert_eq!(over["runs"].as_array().unwrap().len(), 1, "what took too long is not repeated");
    let run = ana.run(&run_of(&started)).await;
    assert_eq!(run["state"], "timeout", "{run:#}");
}

#[tokio::test]
async fn f_202_a_right_that_was_taken_away_is_gone_for_the_next_run() {
    let ana = person("ana", &["global:analyst", "global:reader"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let automatic = json!({ "approval_policy": "auto_approve" });
    let schedule = every_minute(&ana, &agent, &automatic).await;
    revoke(&ana, "global:analyst").await;
    let skipped = comes_to(&ana, &schedule, "skipped").await;
    assert_eq!(skipped["reason"]["code"], "PERMISSION_DENIED", "{skipped:#}");
    assert!(skipped["runs"].is_null(), "{skipped:#}");
    assert_eq!(ana.get("/executions").await["items"], json!([]));
}

#[tokio::test]
async fn f_204_a_schedule_that_is_not_enabled_is_never_due() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let schedule = every_minute(&ana, &agent, &json!({ "is_enabled": false })).await;
    for _ in 0..3 {
        tick(&ana, &schedule).await;
    }
    assert_eq!(occurrences(&ana, &schedule).await, Vec::<Value>::new());
    let path = format!("/schedules/{schedule}");
    assert_eq!(ana.get(&path).await["next_runs"], json!([]));
    let on = ana.door.patch(&format!("{FACTORY}{path}"), &json!({ "is_enabled": true })).await;
    let warnings = on.unwrap()["warnings"].clone();
    assert_eq!(warnings[0]["severity"], "warning", "its agent has no playbook: {warnings:#}");
    comes_to(&ana, &schedule, "skipped").await;
    disable(&ana, &schedule).await;
    let known = occurrences(&ana, &schedule).await.len();
    tick(&ana, &schedule).await;
    assert_eq!(occurrences(&ana, &schedule).await.len(), known);
}

/// The day of an occurrence in the zone of its schedule.
fn day(occurrence: &Value) -> String {
    let due: jiff::Timestamp = occurrence["due_at"].as_str().unwrap().parse().unwrap();
    due.in_tz("America/New_York").unwrap().date().to_string()
}

#[tokio::test]
async fn f_203_the_day_of_the_last_success_is_in_the_question() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    let named = json!({
        "approval_policy": "auto_approve", "playbook_id": "rows-by-clock", "inputs": rows(), "overlap": "queue",
    });
    let schedule = every_minute(&ana, &agent, &named).await;
    let first = comes_to(&ana, &schedule, "started").await;
    is_over(&ana, &schedule, &first["id"]).await;
    let second = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    assert_ne!(second["id"], first["id"]);
    let run = ana.reaches(&run_of(&second), "complete").await;
    let expect = format!("Rows of {}, new since {}", day(&second), day(&first));
    assert_eq!(run["query"], expect, "{run:#}");
    assert_eq!(run["playbook_id"], "rows-by-clock", "{run:#}");
}
