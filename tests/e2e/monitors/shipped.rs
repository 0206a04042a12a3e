//! The shipped playbooks of monitors.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Feed, Watch};
use crate::case::{Person, person};
use crate::filings::GOOD;

#[tokio::test]
async fn f_060_the_shipped_watch_of_a_feed_keeps_what_is_signed() {
    let feed = Feed::open().await;
    feed.publish("rule-1");
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    // One's own connector comes before the deployment's of the same id.
    let own = feed.connector().replace("id: notices\n", "id: federal-register-rss\n");
    ana.post("/connectors", &json!({ "yaml": own })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "federal-register-rss").await;
    let body =
        json!({ "name": "Rules", "profile_id": agent, "playbook_id": "federal-register-watch" });
    let made = ana.post("/monitors", &body).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    watch.feed.publish("rule-2");
    watch.feed.publish("rule-3");
    // The hour in which its connector asks no more has passed, and its clock ticks.
    let before = json!((Timestamp::now() - SignedDuration::from_mins(60)).to_string());
    let mark = watch.record("MARK#look").await;
    mark.changed(None, |mark| mark["last_checked_at"] = before).await;
    assert_eq!(watch.ticks().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let kept = watch.ana.get(&format!("/executions/{run}/outputs/keep")).await;
    assert_eq!(kept["output"]["rows_inserted"], 2, "{kept:#}");
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
}

/// Puts filings into a folder of somebody's.
async fn put_into(ana: &Person, folder: &str, names: &[&str]) {
    let files: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "size": GOOD.len() })).collect();
    let places = ana.post("/uploads", &json!({ "folder": folder, "files": files })).await;
    let places = places["items"].as_array().or_else(|| places.as_array()).unwrap().clone();
    for place in &places {
        ana.door.send(place, GOOD.as_bytes().to_vec()).await.unwrap();
    }
}

#[tokio::test]
async fn f_058_filings_that_come_into_a_folder_are_read_once() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "irs-990-xml").await;
    put_into(&ana, "incoming", &["old.xml"]).await;
    let body = json!({
        "name": "Filings", "profile_id": agent, "playbook_id": "filings-folder-watch",
        "inputs": { "folder": "incoming" },
    });
    let made = ana.post("/monitors", &body).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed: Feed::open().await, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    put_into(&watch.ana, "incoming", &["new.xml", "notes.pdf"]).await;
    assert_eq!(watch.ticks().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    let found = watch.ana.get(&format!("/executions/{run}/outputs/look")).await;
    let names: Vec<&Value> =
        found["output"]["files"].as_array().unwrap().iter().map(|file| &file["filename"]).collect();
    assert_eq!(names, ["new.xml"], "{found:#}");
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    assert_eq!(watch.mark().await["watermark_type"], "timestamp");
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
}
