//! What becomes of due times at which nothing ticked: each schedule says.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

use super::{disable, every_minute, occurrences, run_of, sweep, tick};
use crate::case::{Person, gated, person, rows, until};
use crate::outage::Record;

/// How many due times are missed: the last one, and those of the two hours before.
const MISSED: usize = 3;

/// When a schedule was due last: longer ago than counts as on time, and it is not due again for a while.
fn last_due() -> Timestamp {
    let minute = (Timestamp::now().as_second() / 60 - 10) * 60;
    Timestamp::from_second(minute).unwrap()
}

/// A schedule of a new agent that is due each hour, for the last time at `last`.
async fn hourly(last: Timestamp, misfire: &str) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    let minute = last.to_zoned(TimeZone::UTC).minute();
    let schedule = json!({
        "name": misfire, "profile_id": agent, "cron_expression": format!("{minute} * * * *"), "is_enabled": true,
        "query_template": "Rows", "playbook_id": "rows-by-clock", "inputs": rows(),
        "approval_policy": "auto_approve", "misfire": misfire,
    });
    let made = ana.post("/schedules", &schedule).await;
    (ana, made["id"].as_str().unwrap().to_owned())
}

/// What an outage of the deployment leaves behind: nothing has ticked since the schedule was due at this time.
pub(super) async fn outage(ana: &Person, schedule: &str, since: Timestamp) {
    let record = Record::of(&format!("OWNER#{}", ana.id), &format!("DUE#{schedule}")).await;
    let place = format!("{:012}#{schedule}", since.as_second());
    record.changed(Some(&place), |due| due["at"] = json!(since.to_string())).await;
}

/// What becomes of due times that were missed; the first one first.
pub(super) async fn after_an_outage(misfire: &str) -> (Person, String, Vec<Value>) {
    let last = last_due();
    let (ana, schedule) = hourly(last, misfire).await;
    outage(&ana, &schedule, last - SignedDuration::from_hours(2)).await;
    tick(&ana, &schedule).await;
    let mut all = until("the due times are noticed", || async {
        let all = occurrences(&ana, &schedule).await;
        (all.len() == MISSED).then_some(all)
    })
    .await;
    all.reverse();
    assert_eq!(all[MISSED - 1]["due_at"], json!(last.to_string()), "{all:#?}");
    (ana, schedule, all)
}

fn states(all: &[Value]) -> Vec<&str> {
    all.iter().map(|one| one["state"].as_str().unwrap()).collect()
}

/// Sweeps until this due time is over.
async fn over(ana: &Person, schedule: &str, id: &Value) -> Value {
    let done = super::is_over(ana, schedule, id).await;
    assert_eq!(done["status"], "complete", "{done:#}");
    ana.run(&run_of(&done)).await
}

#[tokio::test]
async fn p_003_after_an_outage_due_times_are_left_out_where_the_schedule_says_so() {
    let (ana, schedule, all) = after_an_outage("skip").await;
    assert_eq!(states(&all), ["missed"; MISSED], "{all:#?}");
    for one in &all {
        assert_eq!((&one["reason"]["code"], &one["runs"]), (&json!("MISSED"), &Value::Null));
    }
    sweep().await;
    assert_eq!(states(&occurrences(&ana, &schedule).await), ["missed"; MISSED]);
    assert_eq!(ana.get("/executions").await["items"], json!([]));
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn p_003_after_an_outage_the_last_due_time_is_made_up_for_once() {
    let (ana, schedule, all) = after_an_outage("once").await;
    assert_eq!(states(&all[..MISSED - 1]), ["missed"; MISSED - 1], "{all:#?}");
    over(&ana, &schedule, &all[MISSED - 1]["id"]).await;
    let runs = ana.get("/executions").await["items"].as_array().unwrap().len();
    assert_eq!(runs, 1, "one run for all that was missed");
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn p_003_after_an_outage_every_due_time_is_made_up_for_one_after_the_other() {
    let (ana, schedule, all) = after_an_outage("all").await;
    let mut before = Timestamp::MIN;
    for one in &all {
        let run = over(&ana, &schedule, &one["id"]).await;
        let at = |name: &str| run[name].as_str().unwrap().parse::<Timestamp>().unwrap();
        let begun = at("started_at");
        assert!(before <= begun, "one began at {begun} before another had ended at {before}");
        before = at("finished_at");
    }
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn p_003_after_a_long_outage_what_has_no_line_of_its_own_is_counted_in_one() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let schedule = every_minute(&ana, &agent, &json!({ "misfire": "skip" })).await;
    let since = last_due() - SignedDuration::from_hours(2);
    outage(&ana, &schedule, since).await;
    tick(&ana, &schedule).await;
    let path = format!("/schedules/{schedule}/occurrences?limit=100");
    let all = until("the due times are noticed", || async {
        let page = ana.get(&path).await;
        let all = page["items"].as_array().unwrap().iter();
        let missed: Vec<Value> = all.filter(|one| one["state"] == "missed").cloned().collect();
        (missed.len() > 44).then_some(missed)
    })
    .await;
    disable(&ana, &schedule).await;
    let first = all.last().unwrap();
    assert_eq!(first["due_at"], json!(since.to_string()), "{first:#}");
    let said = first["reason"]["message"].as_str().unwrap();
    assert!(said.contains("nor at the next ") && said.contains(", until "), "{said}");
}

#[tokio::test]
async fn f_410_what_is_overdue_is_found_by_when_it_was_due_next() {
    let last = last_due();
    let (ana, schedule) = hourly(last, "once").await;
    outage(&ana, &schedule, last).await;
    // Nobody names the schedule: the sweep asks for what is due by now.
    let due = until("the sweep finds it", || async {
        sweep().await;
        occurrences(&ana, &schedule).await.into_iter().next()
    })
    .await;
    assert_eq!(due["due_at"], json!(last.to_string()), "{due:#}");
    let seen = ana.get(&format!("/schedules/{schedule}")).await;
    let next: Timestamp = seen["next_run_at"].as_str().unwrap().parse().unwrap();
    assert!(next > Timestamp::now() && next <= last + SignedDuration::from_hours(2), "{seen:#}");
    over(&ana, &schedule, &due["id"]).await;
    disable(&ana, &schedule).await;
}

#[tokio::test]
async fn issue_14_a_clock_that_was_ahead_keeps_no_schedule_from_being_due() {
    let last = last_due();
    let (ana, schedule) = hourly(last, "once").await;
    let year = SignedDuration::from_hours(365 * 24);
    outage(&ana, &schedule, last + year).await;
    tick(&ana, &schedule).await;
    assert_eq!(occurrences(&ana, &schedule).await, Vec::<Value>::new(), "nothing is due");
    let next = Record::of(&format!("OWNER#{}", ana.id), &format!("DUE#{schedule}")).await;
    let next: Timestamp = next.json()["at"].as_str().unwrap().parse().unwrap();
    assert_eq!(next, last + SignedDuration::from_hours(1), "it waits for its next due time");
    // A due time that was entered while the clock was ahead is not entered twice.
    outage(&ana, &schedule, last).await;
    tick(&ana, &schedule).await;
    let [due] = occurrences(&ana, &schedule).await.try_into().unwrap();
    outage(&ana, &schedule, last).await;
    tick(&ana, &schedule).await;
    assert_eq!(occurrences(&ana, &schedule).await.len(), 1);
    over(&ana, &schedule, &due["id"]).await;
    assert_eq!(ana.get("/executions").await["items"].as_array().unwrap().len(), 1);
    disable(&ana, &schedule).await;
}
