//! What was saved with a token that is void runs no more, and what the clock repeats has no more rights than what it repeats.

use countersign_cli::door::Door;
use countersign_cli::token::login;
use countersign_identity::Scopes;
use serde_json::{Value, json};

use super::{
    FAILING, comes_to, disable, every_minute, follows, is_over, occurrences, run_of, sweep,
};
use crate::case::{FACTORY, Person, admin, gated, person, rows, until};
use crate::world::world;

/// Makes every token void that somebody has, and gives them a new one.
pub(crate) async fn anew(mut ana: Person) -> Person {
    let voids = format!("/api/admin/users/{}/revoke-tokens", ana.id);
    admin(world()).post(&voids, &json!({})).await.unwrap();
    let scopes = || Scopes::parse(["global:analyst"]);
    // A token of this very second is void as well.
    ana.door = until("a token that is good again", || async {
        let token = login(&world().stack, &ana.id, scopes()).unwrap();
        let door = Door::with(&world().stack.url(), token).unwrap();
        door.get(&format!("{FACTORY}/schedules")).await.is_ok().then_some(door)
    })
    .await;
    ana
}

#[tokio::test]
async fn r_003_p_003_a_schedule_that_was_saved_with_a_token_that_is_void_is_not_due_until_it_is_saved_again()
 {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let automatic = json!({ "approval_policy": "auto_approve", "overlap": "allow" });
    let schedule = every_minute(&ana, &agent, &automatic).await;
    let path = format!("/schedules/{schedule}");
    let shown = ana.get(&path).await;
    assert!(shown["token"].is_null() && shown["scopes"].is_array(), "not shown: {shown:#}");

    let ana = anew(ana).await;
    let skipped = comes_to(&ana, &schedule, "skipped").await;
    assert_eq!(skipped["reason"]["code"], "SAVED_TOKEN_REVOKED", "{skipped:#}");
    assert!(skipped["runs"].is_null(), "{skipped:#}");
    assert_eq!(ana.get("/executions").await["items"], json!([]));

    // Whoever looks at it and saves it again vouches for it.
    let same = ana.get(&path).await;
    let saved = ana.door.put(&format!("{FACTORY}{path}"), &same).await.unwrap();
    assert!(saved["token"].is_null(), "{saved:#}");
    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    ana.reaches(&run_of(&started), "complete").await;
}

#[tokio::test]
async fn r_003_k_49_a_run_that_was_asked_for_is_repeated_with_its_own_token_and_rights() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FAILING).await;
    follows(&ana, &agent, "fails-by-clock", &rows()).await;
    let off = json!({ "is_enabled": false, "max_retries": 1 });
    let schedule = every_minute(&ana, &agent, &off).await;
    // The schedule's own token is void, and the one it is asked with is not.
    let ana = anew(ana).await;
    let now = format!("/schedules/{schedule}/run-now");
    let begun = ana.post(&now, &json!({})).await;
    ana.reaches(&run_of(&begun), "error").await;
    let repeated = until("the run is repeated", || async {
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        all.into_iter().find(|one| one["runs"].as_array().is_some_and(|runs| runs.len() == 2))
    })
    .await;
    assert_eq!(repeated["id"], begun["id"], "{repeated:#}");
    is_over(&ana, &schedule, &begun["id"]).await;

    // Once that is void as well, nothing is repeated for it.
    let begun = ana.post(&now, &json!({})).await;
    ana.reaches(&run_of(&begun), "error").await;
    let ana = anew(ana).await;
    let over: Value = is_over(&ana, &schedule, &begun["id"]).await;
    assert_eq!(over["reason"]["code"], "SAVED_TOKEN_REVOKED", "{over:#}");
    assert_eq!(over["runs"].as_array().unwrap().len(), 1, "{over:#}");
}

/// A gate that opens by itself, before a step that fails.
const OPENS: &str = r#"
id: opens-and-fails
name: Opens and fails
description: Its gate opens by itself; the step behind it fails.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
  - {name: strategy, type: string, default: ml}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: limit, value: 1}]
  - name: sign_off
    step_type: approval
    preview_from: large.data
    prompt: "Go on with {large.count} rows?"
  - name: fails
    step_type: tool
    action: extract_entities
    inputs: {data: "{large.data}"}
    params: {strategy: "{strategy}"}
    on_error: stop
"#;

#[tokio::test]
async fn k_11_a_policy_that_was_taken_back_opens_no_gate_of_a_repetition() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(OPENS).await;
    follows(&ana, &agent, "opens-and-fails", &rows()).await;
    let automatic = json!({ "approval_policy": "auto_approve", "max_retries": 1 });
    let schedule = every_minute(&ana, &agent, &automatic).await;
    let started = comes_to(&ana, &schedule, "started").await;
    ana.reaches(&run_of(&started), "error").await;
    let path = format!("{FACTORY}/schedules/{schedule}");
    ana.door.patch(&path, &json!({ "approval_policy": "require" })).await.unwrap();
    let repeated = until("the run is repeated", || async {
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        let own = all.into_iter().find(|one| one["id"] == started["id"]);
        own.filter(|one| one["runs"].as_array().is_some_and(|runs| runs.len() == 2))
    })
    .await;
    disable(&ana, &schedule).await;
    let second = repeated["runs"][1].as_str().unwrap();
    let waits = ana.reaches(second, "awaiting_approval").await;
    assert_eq!(waits["approval_policy"], "require", "{waits:#}");
}
