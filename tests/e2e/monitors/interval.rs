//! How often a feed is asked, whatever the interval of the monitor (F-101), and what a new version of its playbook leaves as it is.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{SAVE, Watch, playbook, watching};
use crate::case::{FACTORY, until};
use crate::outage::Record;
use crate::schedules::invoke;

impl Watch {
    /// A record of where it stands.
    pub(super) async fn record(&self, sk: &str) -> Record {
        Record::of(&format!("MONITOR#{}", self.monitor), sk).await
    }

    /// What its clock does, of which its last tick was an hour ago.
    pub(super) async fn ticks(&self) -> Value {
        let long_ago = json!((Timestamp::now() - SignedDuration::from_hours(1)).to_string());
        let state = self.record("STATE").await;
        let change = |state: &mut Value| {
            state["last_tick_at"] = long_ago.clone();
            // So is the second try of what failed then.
            state["retry_at"] = Value::Null;
        };
        state.changed(None, change).await;
        invoke("cron-monitor", &json!({ "owner": self.ana.id, "monitor": self.monitor })).await;
        let state = self.of("state").await;
        assert_ne!(state["last_tick_at"], long_ago, "{state:#}");
        state
    }
}

#[tokio::test]
async fn f_101_a_feed_is_asked_at_most_once_in_its_own_interval() {
    let watch = watching().await;
    watch.feed.publish("second");
    let asked = watch.feed.asked();
    let begun = watch.mark().await;
    assert_eq!(watch.ticks().await["last_outcome"], "suppressed", "an hour is not over");
    assert_eq!(watch.feed.asked(), asked, "the feed rests");
    assert_eq!(watch.mark().await["last_checked_at"], begun["last_checked_at"]);

    // The hour of its connector's `poll_interval_minutes` has passed.
    let before = json!((Timestamp::now() - SignedDuration::from_mins(60)).to_string());
    let mark = watch.record("MARK#look").await;
    mark.changed(None, |mark| mark["last_checked_at"] = before).await;
    assert_eq!(watch.ticks().await["last_outcome"], "started");
    assert_eq!(watch.feed.asked(), asked + 1);
    assert_eq!(watch.of("batches/1").await["items"][0]["key"], "notices/tag:notices,second");
}

#[tokio::test]
async fn f_101_issue_14_a_feed_rests_also_where_another_step_of_its_monitor_fails() {
    let watch = watching().await;
    let broken = "
id: broken
name: Broken
type: rest_api
version: 1.0.0
description: Nobody answers.
connection: {base_url: 'http://127.0.0.1:1', auth: {type: none}}
endpoints:
  get_recent: {description: Lists nothing., path: /, response_mapping: {results_path: items, entity_type: item, fields: {id: id}}}
";
    watch.ana.post("/connectors", &json!({ "yaml": broken })).await;
    watch.ana.bind(&watch.agent, "broken").await;
    let other = "  - name: other\n    step_type: tool\n    action: detect_new_data\n    connector: broken\n    endpoint: get_recent\n  - name: sign_off";
    let yaml = playbook(SAVE).replace("  - name: sign_off", other);
    let path = format!("{FACTORY}/playbooks/watch-notices");
    watch.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    let long_ago = json!((Timestamp::now() - SignedDuration::from_mins(61)).to_string());
    let mark = watch.record("MARK#look").await;
    mark.changed(None, |mark| mark["last_checked_at"] = long_ago).await;
    let asked = watch.feed.asked();
    // A first failure does not count as a tick.
    let fails = async || {
        let long_ago = json!((Timestamp::now() - SignedDuration::from_hours(1)).to_string());
        let state = watch.record("STATE").await;
        let change = |state: &mut Value| {
            state["last_tick_at"] = long_ago;
            state["retry_at"] = Value::Null;
        };
        state.changed(None, change).await;
        invoke("cron-monitor", &json!({ "owner": watch.ana.id, "monitor": watch.monitor })).await;
        assert_eq!(watch.of("state").await["last_outcome"], "failed");
    };
    fails().await;
    assert_eq!(watch.feed.asked(), asked + 1, "its hour was over");
    fails().await;
    assert_eq!(watch.feed.asked(), asked + 1, "it rests, although the other one failed");
}

#[tokio::test]
async fn f_101_a_feed_with_a_shorter_interval_is_asked_at_each_tick_and_whoever_asks_need_not_wait()
{
    let watch = watching().await;
    let asked = watch.feed.asked();
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    assert_eq!(watch.feed.asked(), asked + 1, "a person asked");
    let yaml = watch.feed.connector();
    let yaml = yaml.replace("connection:", "connection:\n  poll_interval_minutes: 5");
    let path = format!("{FACTORY}/connectors/notices");
    watch.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    assert_eq!(watch.ticks().await["last_outcome"], "suppressed");
    assert_eq!(watch.feed.asked(), asked + 1, "five minutes are not over either");
    let before = json!((Timestamp::now() - SignedDuration::from_mins(5)).to_string());
    // When a look that found nothing was is noted with the state.
    let state = watch.record("STATE").await;
    state.changed(None, |state| state["quiet"]["look"] = before.clone()).await;
    let mark = watch.record("MARK#look").await;
    mark.changed(None, |mark| mark["last_checked_at"] = before).await;
    assert_eq!(watch.ticks().await["last_outcome"], "suppressed");
    assert_eq!(watch.feed.asked(), asked + 2);
}

#[tokio::test]
async fn k_65_a_playbook_that_is_published_again_keeps_the_watermarks_of_its_monitors() {
    let watch = watching().await;
    let begun = watch.mark().await;
    let keeps = "save_to_workspace\n    inputs: {data: \"{look.results}\"}\n    params: {table_name: others, create_if_missing: true}";
    let yaml = playbook(keeps).replace("version: 1.0.0", "version: 2.0.0");
    let path = format!("{FACTORY}/playbooks/watch-notices");
    watch.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    let now = watch.mark().await;
    for name in ["watermark_value", "watermark_type", "remembered", "metadata"] {
        assert_eq!(now[name], begun[name], "{name}: {now:#}");
    }
    assert_eq!(watch.look().await["last_outcome"], "suppressed", "what is known is not new again");

    watch.feed.publish("second");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    // A batch that is open is processed by the playbook it was begun with.
    watch.ana.door.put(&path, &json!({ "yaml": playbook(keeps) })).await.unwrap();
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let moved = until("the watermark moves", || async {
        let mark = watch.mark().await;
        (mark["watermark_value"] != begun["watermark_value"]).then_some(mark)
    })
    .await;
    assert_eq!(moved["remembered"], 2, "{moved:#}");
    assert_eq!(watch.of("batches/1").await["items"].as_array().unwrap().len(), 1);
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    let rows = watch.ana.get("/workspaces/default/tables/others/rows").await;
    assert_eq!(rows["items"].as_array().unwrap().len(), 1, "{rows:#}");
}

#[tokio::test]
async fn issue_14_a_clock_that_was_ahead_keeps_no_monitor_from_looking() {
    let watch = watching().await;
    watch.feed.publish("second");
    let year = json!((Timestamp::now() + SignedDuration::from_hours(365 * 24)).to_string());
    let mark = watch.record("MARK#look").await;
    mark.changed(None, |mark| mark["last_checked_at"] = year.clone()).await;
    let state = watch.record("STATE").await;
    state.changed(None, |state| state["last_tick_at"] = year.clone()).await;
    invoke("cron-monitor", &json!({ "owner": watch.ana.id, "monitor": watch.monitor })).await;
    let state = watch.of("state").await;
    assert_eq!(state["last_outcome"], "started", "{state:#}");
    assert_ne!(state["last_tick_at"], year, "{state:#}");
    assert_eq!(watch.of("batches/1").await["items"].as_array().unwrap().len(), 1);
}
