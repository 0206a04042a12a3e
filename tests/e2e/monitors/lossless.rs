//! Nothing is lost and nothing is done uncounted: looks that miss something, batches that fill more than a record, quotas.

use serde_json::{Value, json};

use super::{Feed, SAVE, Watch, monitor, playbook, watching};
use crate::case::{FACTORY, person_in, until};
use crate::world::world;

impl Watch {
    async fn connect(&self, most: usize) {
        let yaml = self.feed.connector();
        let bound = format!("connection:\n  max_items_per_poll: {most}");
        let yaml = yaml.replace("connection:", &bound);
        let path = format!("{FACTORY}/connectors/notices");
        self.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    }

    async fn breaks(&self) {
        let fails = "  - name: fails\n    step_type: tool\n    action: query_journal\n    inputs: {status: \"{look.watermark}\"}\n    on_error: stop\n  - name: sign_off";
        let yaml = json!({ "yaml": playbook(SAVE).replace("  - name: sign_off", fails) });
        let path = format!("{FACTORY}/playbooks/watch-notices");
        self.ana.door.put(&path, &yaml).await.unwrap();
    }

    /// Lets it look now; the state once that has failed.
    async fn fails_to_start(&self) -> Value {
        let before = self.of("state").await["last_tick_at"].clone();
        self.ana.post(&format!("/monitors/{}/run-now", self.monitor), &json!({})).await;
        until("a tick that fails", || async {
            let state = self.of("state").await;
            let is_failed = state["last_tick_at"] != before && state["last_outcome"] == "failed";
            is_failed.then_some(state)
        })
        .await
    }

    /// The end of a try of the first batch.
    async fn tried(&self, attempt: u64) {
        until("the try is over and written down", || async {
            let line = self.of("batches").await["items"][0].clone();
            let state = self.of("state").await;
            let is_over = state["open_batch"].is_null() || !state["retry_after"].is_null();
            (line["attempt"] == attempt && line["run_status"] == "error" && is_over).then_some(())
        })
        .await;
        let line = self.of("batches").await["items"][0].clone();
        self.ana.reaches(line["execution_id"].as_str().unwrap(), "error").await;
    }
}

#[tokio::test]
async fn f_060_f_218_a_look_that_misses_something_fails_by_name_and_loses_nothing() {
    let watch = watching().await;
    let begun = watch.mark().await;
    watch.connect(2).await;
    for n in 0..5 {
        watch.feed.publish(&format!("more-{n}"));
    }
    let failed = watch.look().await;
    assert_eq!(failed["last_outcome"], "failed", "{failed:#}");
    let why = failed["last_error"].as_str().unwrap();
    assert!(why.contains("DETECT_INCOMPLETE") && why.contains("max_items_per_poll"), "{why}");
    assert_eq!(watch.mark().await["watermark_value"], begun["watermark_value"]);
    watch.connect(50).await;
    assert_eq!(watch.look().await["last_outcome"], "started");
    assert_eq!(watch.of("batches").await["items"][0]["count"], 5);
}

#[tokio::test]
async fn f_214_a_batch_larger_than_a_record_is_tried_again_and_parked_after_three_tries() {
    let watch = watching().await;
    watch.connect(1_000).await;
    watch.breaks().await;
    for n in 0..400 {
        watch.feed.publish(&format!("a-notice-with-some-words-in-its-title-{n}"));
    }
    for attempt in 1..=3 {
        let word = if attempt == 1 { "started" } else { "retried" };
        let state = watch.look().await;
        assert_eq!(state["last_outcome"], word, "{state:#}");
        watch.tried(attempt).await;
    }
    let line = watch.of("batches?state=parked").await["items"][0].clone();
    assert_eq!((&line["count"], &line["has_moved"]), (&json!(400), &json!(true)), "{line:#}");
    assert_eq!(watch.of("parked").await["items"].as_array().unwrap().len(), 400);
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
}

/// On a deployment of its own: the local stack has no quotas.
#[tokio::test]
async fn p_003_a_quota_that_is_used_up_holds_for_a_monitor_too() {
    let secret = "a secret of the deployment with few runs, long enough to sign tokens with";
    let parameters = [format!("JwtHs256Secret={secret}"), "RunsPerDay=1".to_owned()];
    let mut small = world().beside("countersign-few-runs", &parameters).await;
    small.stack.jwt_secret = secret.to_owned();
    let feed = Feed::open().await;
    feed.publish("first");
    let ana = person_in(&small, "ana", &["global:analyst"]).await;
    let maria = person_in(&small, "maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": feed.connector() })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    watch.outcome("baseline").await;

    watch.feed.publish("second");
    assert_eq!(watch.look().await["last_outcome"], "started");
    watch.ana.reaches(&watch.run().await, "awaiting_approval").await;
    let run = watch.run().await;
    watch.ana.post(&format!("/executions/{run}/cancel"), &json!({})).await;
    until("the batch is closed", || async {
        watch.of("state").await["open_batch"].is_null().then_some(())
    })
    .await;
    watch.feed.publish("third");
    for _ in 0..3 {
        let state = watch.fails_to_start().await;
        assert!(state["last_error"].as_str().unwrap().contains("QUOTA_EXCEEDED"), "{state:#}");
        assert_eq!(watch.runs().await, 1, "the one that the quota holds");
    }
    let waits = watch.of("occurrences").await["items"][0].clone();
    assert_eq!((&waits["state"], &waits["runs"]), (&json!("due"), &json!([])), "{waits:#}");
    assert_eq!(waits["reason"]["code"], Value::from("QUOTA_EXCEEDED"), "{waits:#}");
}
