//! A due time at which nobody could see whether another run of its schedule goes on.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

use super::many::ago;
use super::misfire::outage;
use super::unbegun::playbook;
use super::{disable, every_minute, follows, is_over, occurrences, sweep};
use crate::case::{Person, gated, person, rows, until};

/// Each minute of the half hour that ends with this one: none of the next half hour, so that nothing is due by itself.
fn half_hour(end: Timestamp) -> String {
    let at = |n: i64| (end - SignedDuration::from_mins(n)).to_zoned(TimeZone::UTC);
    let minutes: Vec<String> = (0..30).map(|n| at(n).minute().to_string()).collect();
    format!("{} * * * *", minutes.join(","))
}

/// A schedule that was due at this minute, and whose run cannot be begun: its playbook cannot be read. With that due time, and what
/// was stored of the playbook.
async fn stuck(last: Timestamp) -> (Person, String, Value, Value) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let changes = json!({ "cron_expression": half_hour(last), "approval_policy": "auto_approve" });
    let schedule = every_minute(&ana, &agent, &changes).await;
    let known = playbook(&ana).await.json();
    playbook(&ana).await.changed(None, |playbook| *playbook = json!({})).await;
    outage(&ana, &schedule, last).await;
    let due = until("a due time that cannot be begun", || async {
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        all.into_iter().find(|one| one["state"] == "due")
    })
    .await;
    (ana, schedule, due, known)
}

/// The first notification of a due time that was left out.
async fn told(ana: &Person) -> Value {
    until("its owner is told", || async {
        let page = ana.get("/notifications").await;
        let mut notes = page["items"].as_array().unwrap().iter();
        notes.find(|note| note["notification_type"] == "run_left_out").cloned()
    })
    .await
}

#[tokio::test]
async fn p_003_issue_14_a_due_time_is_skipped_and_told_of_where_nobody_could_see_what_goes_on() {
    let last = ago(0);
    let (ana, schedule, due, known) = stuck(last).await;
    // Two earlier ones were not noticed, and the first of them soon counts as missed.
    outage(&ana, &schedule, last - SignedDuration::from_mins(2)).await;
    let skipped = until("one is skipped", || async {
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        all.into_iter().find(|one| one["state"] == "skipped")
    })
    .await;
    assert_eq!(skipped["reason"]["code"], "OVERLAP_UNKNOWN", "{skipped:#}");
    let why = skipped["reason"]["message"].as_str().unwrap();
    assert!(why.starts_with("whether another run of this schedule goes on could not be"), "{why}");
    assert!(skipped["runs"].is_null() && skipped["finished_at"].is_string(), "{skipped:#}");
    let note = told(&ana).await;
    assert_eq!(note["details"]["code"], "OVERLAP_UNKNOWN", "its owner is told: {note:#}");

    // What could not be begun is, once it can.
    playbook(&ana).await.changed(None, |playbook| *playbook = known).await;
    let over = is_over(&ana, &schedule, &due["id"]).await;
    disable(&ana, &schedule).await;
    assert_eq!(over["status"], "complete", "{over:#}");
    assert_eq!(ana.get("/executions").await["items"].as_array().unwrap().len(), 1);
}
