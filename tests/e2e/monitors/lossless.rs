//! Nothing is lost of batches that fill more than a record, nor of answers that are cut.

use serde_json::json;

use super::{SAVE, Watch, playbook, watching};
use crate::case::{FACTORY, until};

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

#[tokio::test]
async fn f_218_a_look_at_an_answer_that_is_cut_fails_by_name_and_loses_nothing() {
    let watch = watching().await;
    watch.connect(2).await;
    for n in 0..5 {
        watch.feed.publish(&format!("notice-{n}"));
    }
    watch.ana.post(&format!("/monitors/{}/run-now", watch.monitor), &json!({})).await;
    let failed = watch.outcome("failed").await;
    let why = failed["last_error"].as_str().unwrap();
    assert!(why.contains("the step `look`: DETECT_INCOMPLETE"), "{why}");
    assert_eq!((&failed["batches"], &failed["open_batch"]), (&json!(0), &serde_json::Value::Null));
    assert_eq!(watch.runs().await, 0);
    watch.connect(1_000).await;
    assert_eq!(watch.look().await["last_outcome"], "started");
    assert_eq!(watch.of("batches").await["items"][0]["count"], 5, "nothing was lost");
}
