//! What is checked when a schedule is saved, and what may be sent back.

use serde_json::{Value, json};

use super::{comes_to, disable, every_minute, follows, is_over, with};
use crate::case::{FACTORY, Person, Refusal, gated, person, refusal, rows};
use crate::effects::{Elsewhere, payer, playbook};

async fn put(ana: &Person, path: &str, body: &Value) -> Result<Value, Refusal> {
    match ana.door.put(path, body).await {
        Ok(saved) => Ok(saved),
        refused => Err(refusal(refused)),
    }
}

#[tokio::test]
async fn f_362_a_schedule_is_sent_back_as_it_was_read_and_not_otherwise() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let automatic = json!({ "approval_policy": "auto_approve" });
    let schedule = every_minute(&ana, &agent, &automatic).await;
    let started = comes_to(&ana, &schedule, "started").await;
    is_over(&ana, &schedule, &started["id"]).await;
    disable(&ana, &schedule).await;
    let path = format!("{FACTORY}/schedules/{schedule}");
    ana.door
        .patch(&path, &json!({ "is_enabled": true, "cron_expression": "0 6 * * *" }))
        .await
        .unwrap();
    let read = ana.door.get(&path).await.unwrap();
    for name in ["next_run_at", "next_runs", "last_run_at", "last_run_status", "scopes"] {
        assert!(!read[name].is_null(), "{name} is shown: {read:#}");
    }
    let renamed = with(&read, "name", json!("Another name"));
    let saved =
        put(&ana, &path, &renamed).await.unwrap_or_else(|refused| panic!("{}", refused.said));
    assert_eq!(saved["name"], "Another name", "what was read is sent back: {saved:#}");

    let read = ana.door.get(&path).await.unwrap();
    for (name, value) in [
        ("next_run_at", json!("2030-01-01T00:00:00Z")),
        ("next_runs", json!(["2030-01-01T00:00:00Z"])),
        ("last_run_at", json!("2020-01-01T00:00:00Z")),
        ("last_run_status", json!("error")),
        ("current_run", json!({ "run": "run_1" })),
        ("scopes", json!(["global:admin"])),
        ("created_at", json!("2020-01-01T00:00:00Z")),
    ] {
        let Err(refused) = put(&ana, &path, &with(&read, name, value)).await else {
            panic!("{name} was accepted");
        };
        assert_eq!(
            (refused.status, refused.places),
            (422, vec![name.to_owned()]),
            "{}",
            refused.said
        );
        let patched = ana.door.patch(&path, &json!({ name: "x" })).await;
        assert_eq!(refusal(patched).status, 422, "{name}");
    }
    let same = ana.door.get(&path).await.unwrap();
    assert_eq!(same["version"], read["version"], "nothing was written");
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn f_202_a_schedule_whose_gate_nobody_can_open_is_not_saved() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    let schedule = json!({
        "name": "Weekly", "profile_id": agent, "cron_expression": "0 6 * * MON", "is_enabled": true,
        "query_template": "Rows", "playbook_id": "rows-by-clock", "inputs": rows(),
    });
    let path = format!("{FACTORY}/schedules");
    let said = refusal(ana.door.post(&path, &schedule).await);
    assert_eq!((said.status, said.code.as_str()), (422, "APPROVAL_UNREACHABLE"), "{}", said.said);
    assert!(said.places.contains(&"profile.approvers[0]".to_owned()), "{}", said.said);
    // Nobody is asked where gates open by themselves; and one that the clock does not start may wait for its approvers.
    let automatic = with(&schedule, "approval_policy", json!("auto_approve"));
    assert_eq!(ana.post("/schedules/validate", &automatic).await["is_valid"], true);
    let off = with(&schedule, "is_enabled", json!(false));
    assert_eq!(ana.post("/schedules/validate", &off).await["is_valid"], true);

    let other = with(&off, "inputs", json!({ "row": [] }));
    let said = refusal(ana.door.post(&path, &other).await);
    assert_eq!(said.places, ["inputs.row"], "{}", said.said);
    let other = with(&off, "playbook_id", json!("gone"));
    let said = refusal(ana.door.post(&path, &other).await);
    assert_eq!(said.places, ["playbook_id"], "{}", said.said);
}

#[tokio::test]
async fn k_11_an_irreversible_step_of_a_schedule_needs_somebody_who_signs_when_it_is_saved() {
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let elsewhere = Elsewhere::open().await;
    let (ana, _) = payer(&elsewhere, &maria).await;
    let alone = ana.agent(&[]).await;
    ana.bind(&alone, "test-ledger").await;
    ana.playbook(&playbook("pay-weekly", "")).await;
    let schedule = json!({
        "name": "Weekly", "profile_id": alone, "cron_expression": "0 6 * * MON", "is_enabled": true,
        "query_template": "Pay", "playbook_id": "pay-weekly", "inputs": { "amount": "1.00" },
        "approval_policy": "auto_approve",
    });
    let refused = ana.refused("/schedules", Some(&schedule)).await;
    assert_eq!(
        refused,
        (422, "APPROVAL_UNREACHABLE".to_owned()),
        "`auto_approve` opens no such gate"
    );
    assert_eq!(elsewhere.posts(), 0);
}
