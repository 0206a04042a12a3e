//! Many due times beside one whose run goes on.

use jiff::Timestamp;
use serde_json::json;

use super::misfire::outage;
use super::{disable, every_minute, follows, run_of, tick};
use crate::case::{gated, person, rows, until};

/// The minute so many minutes ago.
pub(super) fn ago(minutes: i64) -> Timestamp {
    let minute = (Timestamp::now().as_second() / 60 - minutes) * 60;
    Timestamp::from_second(minute).unwrap()
}

/// Due times a minute apart take half an hour by themselves; here they are made up for after an outage.
#[tokio::test]
async fn f_208_issue_14_the_current_run_is_seen_behind_however_many_due_times_without_one() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({ "misfire": "all" })).await;
    outage(&ana, &schedule, ago(30)).await;
    tick(&ana, &schedule).await;
    let path = format!("/schedules/{schedule}/occurrences?limit=100");
    let all = until("the due times are noticed", || async {
        let page = ana.get(&path).await;
        let all = page["items"].as_array().unwrap().clone();
        (all.len() > 25 && all.iter().any(|one| one["state"] == "started")).then_some(all)
    })
    .await;
    disable(&ana, &schedule).await;
    let place = all.iter().position(|one| one["state"] == "started").unwrap();
    assert!(place > 20, "more than twenty newer ones have no run: {place}");
    assert!(all[..place].iter().all(|one| one["runs"].is_null()), "{all:#?}");
    ana.reaches(&run_of(&all[place]), "awaiting_approval").await;
    let seen = ana.get(&format!("/schedules/{schedule}")).await;
    assert_eq!(seen["current_run"]["occurrence"], all[place]["id"], "{seen:#}");
    assert_eq!(seen["current_run"]["status"], "awaiting_approval", "{seen:#}");
}
