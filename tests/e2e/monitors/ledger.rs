//! What a monitor found new is in the ledger of occurrences, beside what schedules were due.

use countersign_cli::CliError;
use serde_json::{Value, json};

use super::{SAVE, Watch, playbook, watching};
use crate::case::{FACTORY, until};
use crate::world::world;

impl Watch {
    /// Its occurrences, the newest first.
    async fn occurrences(&self, filters: &str) -> Vec<Value> {
        let page = self.ana.get(&format!("/occurrences?source=monitor{filters}")).await;
        page["items"].as_array().unwrap().clone()
    }

    /// Its newest occurrence once it is in this state.
    pub(super) async fn occurrence(&self, state: &str) -> Value {
        until(&format!("the occurrence is `{state}`"), || async {
            let all = self.occurrences("").await;
            all.into_iter().next().filter(|one| one["state"] == state)
        })
        .await
    }

    /// The run of its newest occurrence, once it has been started: a batch is written down before that.
    pub(super) async fn begun(&self) -> String {
        until("the run is started", || async {
            let all = self.occurrences("").await;
            all.first()?["runs"][0].as_str().map(str::to_owned)
        })
        .await
    }

    /// Looks, and has what was found signed.
    async fn process(&self, title: &str) -> String {
        self.feed.publish(title);
        assert_eq!(self.look().await["last_outcome"], "started");
        let run = self.run().await;
        self.maria.request(&run).await;
        self.decide("approve").await;
        self.ana.reaches(&run, "complete").await;
        run
    }

    /// The playbook from now on.
    pub(super) async fn follows(&self, yaml: &str) {
        let path = format!("{FACTORY}/playbooks/watch-notices");
        self.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    }
}

#[tokio::test]
async fn f_214_p_003_each_batch_is_an_occurrence_of_its_monitor() {
    let watch = watching().await;
    assert_eq!(watch.occurrences("").await, Vec::<Value>::new(), "the first look starts nothing");
    watch.feed.publish("second");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    let started = watch.occurrence("started").await;
    assert_eq!(started["source_id"], watch.monitor, "{started:#}");
    assert_eq!((&started["runs"], &started["asked_by"]), (&json!([run]), &json!(watch.ana.id)));
    assert_eq!(
        (&started["name"], &started["profile_id"]),
        (&json!("Notices"), &json!(watch.agent))
    );
    let waiting = watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(waiting["occurrence"], started["id"], "{waiting:#}");
    assert_eq!(waiting["from_monitor"]["monitor"], json!(watch.monitor), "{waiting:#}");
    assert!(waiting["from_monitor"]["batch"].is_string(), "{waiting:#}");
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let done = watch.occurrence("finished").await;
    assert_eq!((&done["id"], &done["status"]), (&started["id"], &json!("complete")));
    assert!(done["finished_at"].is_string(), "{done:#}");

    let journal = watch.ana.get(&format!("/profiles/{}/journal", watch.agent)).await;
    let entry =
        journal["items"].as_array().unwrap().iter().find(|one| one["occurrence"] == done["id"]);
    assert!(entry.is_some(), "the journal says what asked: {journal:#}");
    let page = watch.ana.get(&format!("/monitors/{}/occurrences", watch.monitor)).await;
    assert_eq!(page["items"], json!([done]));
}

#[tokio::test]
async fn p_003_occurrences_are_filtered_by_source_state_agent_and_time() {
    let watch = watching().await;
    watch.process("second").await;
    let done = watch.occurrence("finished").await;
    let due = done["due_at"].as_str().unwrap();
    let (agent, monitor) = (&watch.agent, &watch.monitor);
    let count = async |filters: String| watch.occurrences(&filters).await.len();
    assert_eq!(count(format!("&source_id={monitor}&profile={agent}&state=finished")).await, 1);
    assert_eq!(count("&state=skipped".to_owned()).await, 0);
    assert_eq!(count("&profile=prof_00000000000000000000000000000000".to_owned()).await, 0);
    assert_eq!(count(format!("&since={due}")).await, 1);
    assert_eq!(count(format!("&until={due}")).await, 0);
    let day = &due[..10];
    assert_eq!(count(format!("&since={day}")).await, 1, "from its beginning");
    assert_eq!(count(format!("&until={day}")).await, 0, "before its beginning");
    assert_eq!(watch.ana.get("/occurrences?source=schedule").await["items"], json!([]));
    for wrong in [
        "source=clock",
        "state=lost",
        "since=yesterday",
        "nothing=1",
        "profile=any",
        "source_id=any",
    ] {
        let (status, _) = watch.ana.refused(&format!("/occurrences?{wrong}"), None).await;
        assert_eq!(status, 422, "{wrong}");
    }
    let (status, _) =
        watch.ana.refused(&format!("/occurrences?since={due}&until={due}"), None).await;
    assert_eq!(status, 422, "times the wrong way round");
    assert_eq!(watch.maria.get("/occurrences").await["items"], json!([]), "they are ana's");
    let foreign = watch.maria.refused(&format!("/monitors/{monitor}/occurrences"), None).await;
    assert_eq!(foreign.0, 404);
}

/// A first step that always fails.
fn failing() -> String {
    let fails = "  - name: fails\n    step_type: tool\n    action: query_journal\n    inputs: {status: \"{look.watermark}\"}\n    on_error: stop\n  - name: sign_off";
    playbook(SAVE).replace("  - name: sign_off", fails)
}

#[tokio::test]
async fn f_214_what_is_parked_says_so_in_the_ledger_with_all_its_runs() {
    let watch = watching().await;
    watch.follows(&failing()).await;
    watch.feed.publish("parked");
    for attempt in 1..=3 {
        watch.look().await;
        until("the end of the try", || async {
            let line = watch.of("batches").await["items"][0].clone();
            let state = watch.of("state").await;
            let is_over = state["open_batch"].is_null() || !state["retry_after"].is_null();
            (line["attempt"] == attempt && line["run_status"] == "error" && is_over).then_some(())
        })
        .await;
    }
    let parked = watch.occurrence("finished").await;
    assert_eq!(parked["runs"].as_array().unwrap().len(), 3, "{parked:#}");
    assert_eq!(
        (&parked["status"], &parked["reason"]["code"]),
        (&json!("error"), &json!("BATCH_PARKED"))
    );
}

#[tokio::test]
async fn f_178_a_removed_monitor_leaves_neither_contents_nor_an_open_occurrence() {
    let watch = watching().await;
    // More than an item of the table holds, and no more than the connector reads.
    for n in 0..45 {
        watch.feed.publish(&format!("{n}-{}", "long".repeat(600)));
    }
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.maria.request(&run).await;
    let bucket = world().stack.outputs["BucketName"].as_str().unwrap().to_owned();
    let prefix = format!("monitors/{}/", watch.monitor);
    let contents = async || {
        let command = ["s3api", "list-objects-v2", "--bucket", &bucket, "--prefix", &prefix];
        let listed = world().aws(&command).await.unwrap_or_default();
        listed["Contents"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(contents().await, 1, "what the batch holds is in the bucket");

    let path = format!("{FACTORY}/monitors/{}", watch.monitor);
    watch.ana.door.delete(&path).await.unwrap();
    until("the bucket is empty", || async { (contents().await == 0).then_some(()) }).await;
    let open = watch.occurrence("started").await;
    assert_eq!(open["runs"], json!([run]), "its run goes on");
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let over = watch.occurrence("finished").await;
    assert_eq!(
        (&over["status"], &over["reason"]["code"]),
        (&json!("complete"), &json!("MONITOR_REMOVED"))
    );
}

#[tokio::test]
async fn f_366_a_monitor_is_sent_back_as_it_was_read_and_not_otherwise() {
    let watch = watching().await;
    let path = format!("{FACTORY}/monitors/{}", watch.monitor);
    let read = watch.ana.door.get(&path).await.unwrap();
    let sent = watch.ana.door.put(&path, &read).await.unwrap();
    assert_eq!(sent["version"], 2, "{sent:#}");
    for (name, value) in
        [("created_at", json!("2020-01-01T00:00:00Z")), ("last_outcome", json!("started"))]
    {
        let mut other = watch.ana.door.get(&path).await.unwrap();
        other[name] = value;
        match watch.ana.door.put(&path, &other).await {
            Err(CliError::Refused { status: 422, title, .. }) => {
                assert!(title.contains(name), "{title}");
            }
            said => panic!("{name} was not refused: {said:?}"),
        }
    }
}
