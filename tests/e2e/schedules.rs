//! Schedules at the door.

pub(crate) mod alarm;
mod asked;
mod bounds;
pub(crate) mod command;
mod defaults;
mod invalid;
pub(crate) mod limits;
mod many;
mod misfire;
mod native;
mod overlap;
mod repeated;
pub(crate) mod revoked;
mod saved;
mod told;
mod unbegun;
mod unseen;

use std::collections::BTreeSet;

use countersign_cli::CliError;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person, rows, step, until};
use crate::effects::{Elsewhere, payer, playbook};
use crate::world::world;

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
    let seen = ana.get(&path).await;
    for (name, value) in made.as_object().unwrap() {
        assert_eq!(seen[name], *value, "{name}");
    }
    assert_eq!((&seen["next_runs"], &seen["last_run_at"]), (&json!([]), &Value::Null));
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
async fn f_202_a_schedule_is_of_an_agent_one_has() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let (status, _) = maria.refused("/schedules", Some(&morning(&agent))).await;
    assert_eq!(status, 422, "it is ana's agent");
    let said = ana.post("/schedules/validate", &morning(&agent)).await;
    assert_eq!(said["is_valid"], true, "{said:#}");
    let nowhere = with(&morning(&agent), "timezone", json!("Mars/Olympus"));
    let said = ana.post("/schedules/validate", &nowhere).await;
    assert_eq!(said["is_valid"], false, "{said:#}");
    assert!(said.to_string().contains("timezone"), "{said:#}");
    assert_eq!(ana.refused("/schedules", Some(&nowhere)).await.0, 422);
    let made = ana.post("/schedules", &morning(&agent)).await;
    let path = format!("/schedules/{}", made["id"].as_str().unwrap());
    assert_eq!(maria.refused(&path, None).await.0, 404);

    ana.door.delete(&format!("{FACTORY}/profiles/{agent}")).await.unwrap();
    assert_eq!(ana.refused(&path, None).await.0, 404, "F-178: it went with its agent");
}

/// An agent's only playbook with its inputs.
async fn follows(ana: &Person, agent: &str, playbook: &str, inputs: &Value) {
    let skill = json!({ "skill_type": "playbook", "reference": playbook, "parameters": inputs });
    let path = format!("{FACTORY}/profiles/{agent}");
    ana.door.patch(&path, &json!({ "skills": [skill] })).await.unwrap();
}

/// A schedule that is due every minute.
async fn every_minute(ana: &Person, agent: &str, changes: &Value) -> String {
    let mut schedule = json!({
        "name": "Each minute", "profile_id": agent, "cron_expression": "* * * * *", "is_enabled": true,
        "timezone": "America/New_York", "query_template": "Rows of {date}, new since {last_run_date}",
    });
    schedule.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    ana.post("/schedules", &schedule).await["id"].as_str().unwrap().to_owned()
}

/// What the native schedule does when it is due.
async fn tick(ana: &Person, schedule: &str) {
    invoke("cron-schedule", &json!({ "owner": ana.id, "schedule": schedule })).await;
}

/// What the sweeper does each minute.
pub(crate) async fn sweep() {
    invoke("cron-sweep", &json!({ "source": "test" })).await;
}

/// The emulator looks at no signature; which service is meant it reads here.
const AS_LAMBDA: &str = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=0";

/// Calls a function of the deployment, as its clocks and its bus do. By HTTP: whoever polls would start the command line of AWS again
/// and again.
pub(crate) async fn invoke(function: &str, event: &Value) {
    let place = format!("2015-03-31/functions/countersign-test-{function}/invocations");
    let url = format!("{}/{place}", world().stack.endpoint());
    let request = reqwest::Client::new().post(url).header("authorization", AS_LAMBDA);
    let answer = request.body(event.to_string()).send().await.unwrap();
    let is_well = answer.status() == 200 && !answer.headers().contains_key("x-amz-function-error");
    let said = answer.text().await.unwrap();
    assert!(is_well, "{function}: {said}");
}

async fn occurrences(ana: &Person, schedule: &str) -> Vec<Value> {
    let page = ana.get(&format!("/schedules/{schedule}/occurrences")).await;
    page["items"].as_array().unwrap().clone()
}

/// Ticks until the schedule has an occurrence in this state: the oldest such.
async fn comes_to(ana: &Person, schedule: &str, state: &str) -> Value {
    until(&format!("an occurrence of {schedule} is {state}"), || async {
        tokio::join!(tick(ana, schedule), tick(ana, schedule));
        let all = occurrences(ana, schedule).await;
        all.into_iter().rfind(|one| one["state"] == state)
    })
    .await
}

async fn disable(ana: &Person, schedule: &str) {
    let path = format!("{FACTORY}/schedules/{schedule}");
    ana.door.patch(&path, &json!({ "is_enabled": false })).await.unwrap();
}

fn run_of(occurrence: &Value) -> String {
    occurrence["runs"][0].as_str().unwrap_or_else(|| panic!("no run: {occurrence:#}")).to_owned()
}

/// Sweeps until an occurrence is over.
async fn is_over(ana: &Person, schedule: &str, id: &Value) -> Value {
    until("the occurrence is over", || async {
        sweep().await;
        let all = occurrences(ana, schedule).await;
        all.into_iter().find(|one| one["id"] == *id && one["state"] == "finished")
    })
    .await
}

#[tokio::test]
async fn f_205_k_11_what_is_due_runs_once_and_its_reversible_gates_open_by_themselves() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({ "approval_policy": "auto_approve" })).await;
    let path = format!("/schedules/{schedule}");
    let seen = ana.get(&path).await;
    let next: Vec<&str> =
        seen["next_runs"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(next.len() == 5 && next.is_sorted() && seen["next_run_at"] == next[0], "{seen:#}");

    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    let run = run_of(&started);
    let done = ana.reaches(&run, "complete").await;
    assert_eq!((&done["run_context"], &done["occurrence"]), (&json!("scheduled"), &started["id"]));
    assert_eq!(step(&done, "sign_off")["code"], "AUTO_APPROVED", "{done:#}");
    assert_eq!(step(&done, "keep")["status"], "done", "{done:#}");
    let query = done["query"].as_str().unwrap();
    assert!(query.starts_with("Rows of 20") && !query.contains('{'), "{query}");

    let over = is_over(&ana, &schedule, &started["id"]).await;
    assert_eq!(over["status"], "complete", "{over:#}");
    assert_eq!(over["finished_at"], done["finished_at"], "its end, not when it was noticed");
    let journal = ana.get(&format!("/profiles/{agent}/journal")).await;
    let written = journal["items"].as_array().unwrap().iter();
    let written = written.filter(|entry| entry["occurrence"] == started["id"]).count();
    assert_eq!(written, 1, "the journal says what asked: {journal:#}");
    let due: Timestamp = started["due_at"].as_str().unwrap().parse().unwrap();
    let due = due.strftime("%Y-%m-%d %H:%M UTC");
    let asked = format!("asked by the schedule \"Each minute\" (due {due}), for its owner");
    let entries = journal["items"].as_array().unwrap();
    let own = entries.iter().find(|entry| entry["occurrence"] == started["id"]).unwrap();
    assert!(own["summary"].as_str().unwrap().contains(&asked), "{own:#}");
    let seen = ana.get(&path).await;
    assert_eq!(seen["last_run_status"], "complete", "{seen:#}");
    assert_eq!((&seen["last_run_at"], &seen["next_runs"]), (&started["due_at"], &json!([])));
    let all = occurrences(&ana, &schedule).await;
    let due: BTreeSet<String> = all.iter().map(|one| one["due_at"].to_string()).collect();
    assert_eq!(due.len(), all.len(), "a due time has one occurrence: {all:#?}");
    let runs = ana.get("/executions").await["items"].as_array().unwrap().len();
    let begun = all.iter().filter(|one| !one["runs"].is_null()).count();
    assert_eq!(runs, begun, "two ticks at once start one run: {all:#?}");
    let page = ana.get("/occurrences").await;
    assert_eq!(page["items"].as_array().unwrap().len(), all.len());
    assert_eq!(maria.get("/occurrences").await["items"], json!([]));
}

#[tokio::test]
async fn k_11_f_208_irreversible_steps_of_scheduled_runs_always_wait_for_people() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let gate = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\"}";
    ana.playbook(&playbook("pay-by-clock", gate)).await;
    follows(&ana, &agent, "pay-by-clock", &json!({ "amount": "4.00" })).await;
    let changes = json!({ "approval_policy": "auto_approve", "timeout_seconds": 30 });
    let schedule = every_minute(&ana, &agent, &changes).await;
    let started = comes_to(&ana, &schedule, "started").await;
    let run = run_of(&started);
    let request = maria.request(&run).await;
    let skipped = comes_to(&ana, &schedule, "skipped").await;
    assert_eq!(skipped["reason"]["code"], "OVERLAP", "{skipped:#}");
    disable(&ana, &schedule).await;
    sweep().await;
    let seen = ana.get(&format!("/schedules/{schedule}")).await;
    assert_eq!(seen["current_run"]["status"], "awaiting_approval", "{seen:#}");
    assert_eq!(seen["last_run_status"], Value::Null, "nothing is over: {seen:#}");
    assert_eq!(elsewhere.posts(), 0, "it was paid before anybody signed");

    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let shown = maria.get(&path).await;
    let decision = json!({ "digest": shown["digest"], "version": shown["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(&run, "complete").await;
    assert_eq!(elsewhere.posts(), 1);
}

#[tokio::test]
async fn f_204_a_switched_off_agent_is_skipped_with_the_reason() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let schedule = every_minute(&ana, &agent, &json!({})).await;
    let path = format!("{FACTORY}/profiles/{agent}");
    ana.door.patch(&path, &json!({ "is_active": false })).await.unwrap();
    let skipped = comes_to(&ana, &schedule, "skipped").await;
    assert_eq!(skipped["reason"]["code"], "PROFILE_INACTIVE", "{skipped:#}");
    assert_eq!(ana.get("/executions").await["items"], json!([]));
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn f_365_run_now_is_a_run_of_its_caller_whose_gates_ask() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("rows-by-hand", "")).await;
    follows(&ana, &agent, "rows-by-hand", &rows()).await;
    let off = json!({ "approval_policy": "auto_approve", "is_enabled": false });
    let schedule = every_minute(&ana, &agent, &off).await;
    let begun = ana.post(&format!("/schedules/{schedule}/run-now"), &json!({})).await;
    assert_eq!((&begun["state"], &begun["asked_by"]), (&json!("started"), &json!(ana.id)));
    let run = run_of(&begun);
    let waits = ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(waits["run_context"], "background", "{waits:#}");
    let path = format!("/schedules/{schedule}/run-now");
    assert_eq!(maria.refused(&path, Some(&json!({}))).await.0, 403, "she may only read");
}

/// Sweeps until an occurrence has a second run, which it gives.
async fn second_run(ana: &Person, schedule: &str, occurrence: &Value) -> String {
    until("the run is repeated", || async {
        sweep().await;
        let all = occurrences(ana, schedule).await;
        let own = all.into_iter().find(|one| one["id"] == *occurrence)?;
        let runs = own["runs"].as_array().filter(|runs| runs.len() == 2)?;
        runs[1].as_str().map(str::to_owned)
    })
    .await
}

/// A playbook whose only step fails.
const FAILING: &str = r#"
id: fails-by-clock
name: Fails
description: Its only step fails.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
  - {name: strategy, type: string, default: ml}
steps:
  - name: fails
    step_type: tool
    action: extract_entities
    inputs: {data: "{rows}"}
    params: {strategy: "{strategy}"}
    on_error: stop
"#;

#[tokio::test]
async fn f_206_k_49_a_run_that_failed_is_repeated_so_often_and_no_more() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FAILING).await;
    follows(&ana, &agent, "fails-by-clock", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({ "max_retries": 1 })).await;
    let started = comes_to(&ana, &schedule, "started").await;
    let first = run_of(&started);
    ana.reaches(&first, "error").await;
    let run = ana.run(&second_run(&ana, &schedule, &started["id"]).await).await;
    assert_eq!((&run["repeats"], &run["run_context"]), (&json!([first]), &json!("scheduled")));
    disable(&ana, &schedule).await;
    let over = is_over(&ana, &schedule, &started["id"]).await;
    assert_eq!((&over["status"], &over["reason"]), (&json!("error"), &Value::Null), "{over:#}");
    assert_eq!(over["runs"].as_array().unwrap().len(), 2, "{over:#}");
}
