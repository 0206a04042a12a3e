//! Due times and requests of which no run was begun.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::alarm::raised;
use super::overlap::{approve, waiting};
use super::{comes_to, disable, occurrences, run_of, sweep, tick};
use crate::case::{Person, until};
use crate::outage::Record;

/// Lets an occurrence be one that could not be begun.
async fn unbegun(ana: &Person, schedule: &str, id: &Value, change: impl FnOnce(&mut Value)) {
    let place = id.as_str().unwrap().split_once('-').unwrap().1;
    let key = format!("OCCURRENCES#{}#{schedule}", ana.id);
    let record = Record::of(&key, place).await;
    record
        .changed(None, |one| {
            one["state"] = json!("due");
            change(one);
        })
        .await;
}

async fn of(ana: &Person, schedule: &str, id: &Value) -> Value {
    let all = occurrences(ana, schedule).await;
    all.into_iter().find(|one| one["id"] == *id).unwrap()
}

/// What is stored of the playbook that the runs follow.
pub(super) async fn playbook(ana: &Person) -> Record {
    Record::of(&format!("OWNER#{}", ana.id), "PLAYBOOK#rows-by-clock").await
}

#[tokio::test]
async fn issue_14_a_due_time_that_waits_and_cannot_be_begun_for_an_hour_is_missed() {
    let (ana, maria, schedule, first) = waiting("queue").await;
    let queued = comes_to(&ana, &schedule, "queued").await;
    // What its run needs cannot be read when its turn comes; the run before has its own plan.
    let known = playbook(&ana).await.json();
    playbook(&ana).await.changed(None, |playbook| *playbook = json!({})).await;
    approve(&maria, &run_of(&first)).await;
    ana.reaches(&run_of(&first), "complete").await;
    let id = queued["id"].as_str().unwrap();
    until("the run before it is over", || async {
        sweep().await;
        (of(&ana, &schedule, &first["id"]).await["state"] == "finished").then_some(())
    })
    .await;
    sweep().await;
    assert_eq!(of(&ana, &schedule, &queued["id"]).await["state"], "queued", "it was tried");
    let long_ago = json!((Timestamp::now() - SignedDuration::from_hours(2)).to_string());
    let tried = Record::of("OCCURRENCES#UNBEGUN", id).await;
    tried.changed(None, |tried| tried["since"] = long_ago).await;
    let missed = until("it is missed", || async {
        sweep().await;
        let one = of(&ana, &schedule, &queued["id"]).await;
        (one["state"] == "missed").then_some(one)
    })
    .await;
    playbook(&ana).await.changed(None, |playbook| *playbook = known).await;
    disable(&ana, &schedule).await;
    assert_eq!(missed["reason"]["code"], "NOT_STARTED", "{missed:#}");
    assert!(missed["runs"].is_null() && missed["finished_at"].is_string(), "{missed:#}");
    raised("OCCURRENCE_MISSED", &[id]).await;
}

#[tokio::test]
async fn issue_14_what_a_person_asked_for_and_was_not_begun_holds_no_due_time_back() {
    let (ana, maria, schedule, first) = waiting("queue").await;
    let asked = comes_to(&ana, &schedule, "queued").await;
    let owner = json!(ana.id);
    unbegun(&ana, &schedule, &asked["id"], |one| one["asked_by"] = owner).await;
    approve(&maria, &run_of(&first)).await;
    ana.reaches(&run_of(&first), "complete").await;
    let next = until("another due time starts", || async {
        tick(&ana, &schedule).await;
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        all.into_iter().find(|one| one["state"] == "started" && one["id"] != first["id"])
    })
    .await;
    disable(&ana, &schedule).await;
    assert!(next["due_at"].as_str() > asked["due_at"].as_str(), "{next:#}");
    assert_eq!(of(&ana, &schedule, &asked["id"]).await["state"], "due", "it is to be asked again");

    // Nobody asked again: that is no alarm.
    let long_ago = json!((Timestamp::now() - SignedDuration::from_hours(2)).to_string());
    unbegun(&ana, &schedule, &asked["id"], |one| one["noticed_at"] = long_ago).await;
    let skipped = until("it is over", || async {
        sweep().await;
        let one = of(&ana, &schedule, &asked["id"]).await;
        (one["state"] == "skipped").then_some(one)
    })
    .await;
    assert_eq!(skipped["reason"]["code"], "NOT_STARTED", "{skipped:#}");
}
