//! The clocks of monitors: how often they tick, when they do nothing, and what an empty look comes to.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

use super::detections::{self, looks};
use super::{Watch, watching};
use crate::case::{FACTORY, person};
use crate::schedules::invoke;
use crate::world::world;

impl Watch {
    async fn patched(&self, change: Value) {
        let path = format!("{FACTORY}/monitors/{}", self.monitor);
        self.ana.door.patch(&path, &change).await.unwrap();
    }

    /// How often its own clock ticks, as the service has it.
    async fn rate(&self) -> String {
        let list = ["scheduler", "list-schedules", "--name-prefix", &self.monitor];
        let listed = world().aws(&list).await.unwrap();
        let group = listed["Schedules"][0]["GroupName"].as_str().unwrap();
        let get = ["scheduler", "get-schedule", "--name", &self.monitor, "--group-name", group];
        let clock = world().aws(&get).await.unwrap();
        clock["ScheduleExpression"].as_str().unwrap().to_owned()
    }

    /// What its clock does; where it stands then.
    async fn ticked(&self) -> Value {
        invoke("cron-monitor", &json!({ "owner": self.ana.id, "monitor": self.monitor })).await;
        self.of("state").await
    }
}

#[tokio::test]
async fn f_217_another_interval_sets_the_clock_anew_at_once() {
    let watch = watching().await;
    assert_eq!(watch.rate().await, "rate(5 minutes)");
    watch.patched(json!({ "interval": "4h" })).await;
    assert_eq!(watch.rate().await, "rate(240 minutes)");
    watch.patched(json!({ "interval": "15m" })).await;
    assert_eq!(watch.rate().await, "rate(15 minutes)");
}

#[tokio::test]
async fn f_216_a_paused_monitor_does_not_look_whatever_ticks() {
    let watch = watching().await;
    watch.feed.publish("second");
    let (asked, before) = (watch.feed.asked(), watch.of("state").await);
    let path = format!("/monitors/{}", watch.monitor);
    watch.ana.post(&format!("{path}/pause"), &json!({})).await;
    for _ in 0..2 {
        assert_eq!(watch.ticked().await["last_tick_at"], before["last_tick_at"]);
    }
    assert_eq!((watch.feed.asked(), watch.runs().await), (asked, 0));
    watch.ana.post(&format!("{path}/resume"), &json!({})).await;
    assert_eq!(watch.look().await["last_outcome"], "started", "what came meanwhile is found");
}

#[tokio::test]
async fn f_211_hours_are_of_their_zone_and_go_on_after_midnight() {
    let watch = watching().await;
    let now = Timestamp::now();
    let zones = ["Asia/Tokyo", "Europe/Berlin", "America/Los_Angeles"];
    let hour = |name: &&str| now.to_zoned(TimeZone::get(name).unwrap()).hour();
    // Where it is day: windows that leave out an hour around now, or end in it, cross midnight there.
    let name = zones.into_iter().find(|name| (4..20).contains(&hour(name))).unwrap();
    let zone = TimeZone::get(name).unwrap();
    let clock = |minutes: i64| {
        let at = (now + SignedDuration::from_mins(minutes)).to_zoned(zone.clone());
        at.strftime("%H:%M").to_string()
    };
    let hours = |start: i64, end: i64| json!({ "active_hours": { "start": clock(start), "end": clock(end), "timezone": name } });
    watch.patched(hours(30, -30)).await;
    let outside = watch.record("STATE").await;
    let long_ago = json!((now - SignedDuration::from_hours(1)).to_string());
    outside.changed(None, |state| state["last_tick_at"] = long_ago).await;
    assert_eq!(watch.ticked().await["last_outcome"], "outside_active_hours");
    watch.patched(hours(-30, -60)).await;
    assert_eq!(watch.ticks().await["last_outcome"], "suppressed", "it is within them");
}

#[tokio::test]
async fn f_133_a_monitor_may_run_also_when_nothing_is_new() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let action = "detect_folder_changes\n    inputs: {folder_id: \"{folder}\"}";
    let watch = detections::watching(ana, agent, &looks(action, "changes")).await;
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    watch.patched(json!({ "suppress_if_empty": false })).await;
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.begun().await;
    watch.ana.reaches(&run, "complete").await;
    let batch = watch.of("batches").await["items"][0].clone();
    assert_eq!(batch["count"], 0, "{batch:#}");
    let seen = watch.ana.get(&format!("/executions/{run}/outputs/look")).await;
    assert_eq!(seen["output"]["count"], 0, "{seen:#}");
}

#[tokio::test]
async fn f_213_what_comes_late_is_found_within_the_overlap_and_not_beyond() {
    let watch = watching().await;
    watch.patched(json!({ "overlap_minutes": 180 })).await;
    watch.feed.publish_at("late", SignedDuration::from_hours(-2));
    watch.feed.publish_at("too-late", SignedDuration::from_hours(-9));
    assert_eq!(watch.look().await["last_outcome"], "started");
    let items = watch.of("batches/1").await["items"].clone();
    assert_eq!(items, json!([{ "batch": 1, "step": "look", "key": "notices/tag:notices,late" }]));
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    assert_eq!(watch.look().await["last_outcome"], "suppressed", "once");
}
