//! What becomes of a due time while a run of the same schedule waits for people.

use serde_json::{Value, json};

use super::{comes_to, disable, every_minute, follows, occurrences, run_of, sweep, tick};
use crate::case::{Person, gated, person, rows, until};

/// A schedule whose runs wait for maria, with this overlap; its first run waits.
pub(super) async fn waiting(overlap: &str) -> (Person, Person, String, Value) {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({ "overlap": overlap })).await;
    let first = comes_to(&ana, &schedule, "started").await;
    ana.reaches(&run_of(&first), "awaiting_approval").await;
    (ana, maria, schedule, first)
}

pub(super) async fn approve(maria: &Person, run: &str) {
    let request = maria.request(run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let body = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &body).await;
}

#[tokio::test]
async fn p_003_a_queued_due_time_starts_when_the_run_before_it_has_ended() {
    let (ana, maria, schedule, first) = waiting("queue").await;
    let queued = comes_to(&ana, &schedule, "queued").await;
    assert!(queued["runs"].is_null() && queued["due_at"].as_str() > first["due_at"].as_str());
    sweep().await;
    let of = async |id: &Value| {
        let all = occurrences(&ana, &schedule).await;
        all.into_iter().find(|one| one["id"] == *id).unwrap()
    };
    assert_eq!(of(&queued["id"]).await["state"], "queued", "the run before it still waits");

    approve(&maria, &run_of(&first)).await;
    ana.reaches(&run_of(&first), "complete").await;
    let started = until("the queued due time starts", || async {
        sweep().await;
        let now = of(&queued["id"]).await;
        (now["state"] == "started").then_some(now)
    })
    .await;
    assert_eq!(of(&first["id"]).await["state"], "finished");
    let query = ana.run(&run_of(&started)).await["query"].clone();
    assert!(query.as_str().unwrap().starts_with("Rows of 20"), "{query}");
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn p_003_a_due_time_is_skipped_while_the_run_before_it_waits_for_people() {
    let (ana, maria, schedule, first) = waiting("skip").await;
    let skipped = comes_to(&ana, &schedule, "skipped").await;
    assert_eq!(skipped["reason"]["code"], "OVERLAP", "{skipped:#}");
    let why = "another run of this schedule goes on, or waits for people";
    assert_eq!(skipped["reason"]["message"], why);
    assert!(skipped["runs"].is_null() && skipped["finished_at"].is_string(), "{skipped:#}");
    approve(&maria, &run_of(&first)).await;
    ana.reaches(&run_of(&first), "complete").await;
    let next = until("the next due time starts", || async {
        tick(&ana, &schedule).await;
        let all = occurrences(&ana, &schedule).await;
        all.into_iter().find(|one| one["state"] == "started" && one["id"] != first["id"])
    })
    .await;
    disable(&ana, &schedule).await;
    assert!(next["due_at"].as_str() > skipped["due_at"].as_str(), "{next:#}");
    let notes = ana.get("/notifications").await;
    let left_out = notes["items"].as_array().unwrap().iter();
    let left_out = left_out.filter(|note| note["notification_type"] == "run_left_out");
    assert_eq!(left_out.count(), 0, "its owner wants it so: {notes:#}");
}

#[tokio::test]
async fn p_003_a_due_time_that_may_overlap_starts_beside_the_run_that_waits() {
    let (ana, _maria, schedule, first) = waiting("allow").await;
    let both = until("two runs at once", || async {
        tick(&ana, &schedule).await;
        let all = occurrences(&ana, &schedule).await;
        let started = all.into_iter().filter(|one| one["state"] == "started");
        let started: Vec<Value> = started.collect();
        (started.len() > 1).then_some(started)
    })
    .await;
    disable(&ana, &schedule).await;
    assert!(both.iter().any(|one| one["id"] == first["id"]), "{both:#?}");
    for one in &both {
        ana.reaches(&run_of(one), "awaiting_approval").await;
    }
}
