//! Which due time asks, for those who sign.

use jiff::Timestamp;
use serde_json::json;

use super::{comes_to, disable, every_minute, follows, run_of};
use crate::case::{gated, person, rows};
use crate::triggers::asked::said;

#[tokio::test]
async fn issue_14_whoever_signs_sees_which_due_time_asks() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("asked-by-a-clock", "")).await;
    follows(&ana, &agent, "asked-by-a-clock", &rows()).await;
    let schedule = every_minute(&ana, &agent, &json!({})).await;
    let started = comes_to(&ana, &schedule, "started").await;
    disable(&ana, &schedule).await;
    let run = run_of(&started);
    ana.reaches(&run, "awaiting_approval").await;
    let (page, mail, by, journal) = said(&ana, &maria, &run).await;
    assert_eq!(
        (&by["type"], &by["id"], &by["occurrence"], &by["due_at"]),
        (&json!("schedule"), &json!(schedule), &started["id"], &started["due_at"])
    );
    let due_at: Timestamp = started["due_at"].as_str().unwrap().parse().unwrap();
    let due = due_at.strftime("due %Y-%m-%d %H:%M UTC").to_string();
    assert!(page.contains(&due), "`{due}` is not on {page}");
    assert!(journal.contains(&due), "`{due}` is not in {journal}");
    // A mail shows no colon that could be part of an address.
    let day = due_at.strftime("due %Y-%m-%d").to_string();
    assert!(mail.contains(&day), "`{day}` is not in {mail}");
}
