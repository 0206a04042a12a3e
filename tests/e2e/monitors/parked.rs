//! What owners are told of batches that are parked one after the other.

use countersign_cli::CliError;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{SAVE, Watch, playbook, watching};
use crate::case::{FACTORY, grant, revoke, until};
use crate::outage::Record;
use crate::schedules::alarm::raised;
use crate::schedules::invoke;
use crate::world::world;

impl Watch {
    /// Finds this, of which no run can be started, until it is parked.
    pub(super) async fn parks(&self, number: usize, titles: &[&str]) {
        for title in titles {
            self.feed.publish(title);
        }
        // The feed rests; what its owner asks for does not count as one of the tries.
        self.look().await;
        until("the batch is parked", || async {
            self.ticks().await;
            let parked = self.of("batches?state=parked").await;
            (parked["items"].as_array().unwrap().len() == number).then_some(())
        })
        .await;
        until("its notification", || async {
            (self.notes("items_parked").await.len() == number).then_some(())
        })
        .await;
    }

    /// The subjects of all mails about it.
    async fn subjects(&self) -> Vec<String> {
        let mails = world().mailbox().to(&self.ana.email).await.unwrap();
        mails.into_iter().map(|mail| mail.subject).collect()
    }
}

fn ago(days: i64) -> Value {
    json!((Timestamp::now() - SignedDuration::from_hours(24 * days)).to_string())
}

#[tokio::test]
async fn issue_14_what_is_parked_within_a_day_of_a_mail_is_in_the_next_one() {
    let watch = watching().await;
    revoke(&watch.maria, "decide").await;
    watch.parks(1, &["first-lost"]).await;
    watch.mail("Notices: 1 item is parked").await;
    raised("ITEMS_PARKED", &[watch.monitor.as_str()]).await;
    watch.parks(2, &["second-lost", "third-lost"]).await;
    watch.parks(3, &["fourth-lost"]).await;
    assert_eq!(watch.subjects().await, ["Notices: 1 item is parked"], "one mail a day");

    // Two days pass in which nothing more is found.
    let told = Record::of(&format!("TOLD#{}", watch.monitor), "parked").await;
    told.changed(None, |told| told["at"] = ago(2)).await;
    let first = watch.record("BATCH#0000000001").await;
    first.changed(None, |first| first["batch"]["closed_at"] = ago(3)).await;
    let state = watch.record("STATE").await;
    state.changed(None, |state| state["parked"]["at"] = ago(2)).await;
    watch.ticks().await;
    let mail = watch.mail("Notices: 3 items of 2 batches are parked").await;
    assert!(mail.text.contains("APPROVAL_UNREACHABLE"), "{}", mail.text);
    assert!(mail.text.contains("countersign monitors parked mon_"), "{}", mail.text);

    // The owner knows now.
    let detail = json!({
        "at": Timestamp::now(), "owner": watch.ana.id, "monitor": watch.monitor,
        "number": 3, "code": "APPROVAL_UNREACHABLE",
    });
    invoke("on-clock", &json!({ "detail-type": "monitor.parked", "detail": detail })).await;
    watch.ticks().await;
    assert_eq!(watch.subjects().await.len(), 2);
    assert_eq!(watch.notes("items_parked").await.len(), 3, "each batch has its notification");
}

impl Watch {
    /// Asks for a parked batch once more.
    async fn retry(&self, number: usize) -> Result<Value, CliError> {
        let path = format!("{FACTORY}/monitors/{}/batches/{number}/retry", self.monitor);
        self.ana.door.post(&path, &json!({})).await
    }

    async fn retried(&self, number: usize) {
        let said = self.retry(number).await.unwrap();
        assert_eq!((&said["batch"], &said["status"]), (&json!(number), &json!("asked")));
    }

    /// The code of the refusal, and what to do about it.
    async fn not_retried(&self, number: usize) -> (String, String) {
        let Err(CliError::Refused { status: 409, code, help, .. }) = self.retry(number).await
        else {
            panic!("the batch {number} is not refused")
        };
        (code.unwrap_or_default(), help.unwrap_or_default())
    }

    async fn switched(&self, word: &str) {
        self.ana.post(&format!("/monitors/{}/{word}", self.monitor), &json!({})).await;
    }
}

#[tokio::test]
async fn f_218_a_parked_batch_without_a_run_is_processed_after_all_from_what_was_found() {
    let watch = watching().await;
    revoke(&watch.maria, "decide").await;
    watch.parks(1, &["second-lost"]).await;
    let mark = watch.mark().await;
    // The source no longer has it, and finds something else.
    watch.feed.clear();
    watch.feed.publish("first");
    let name = &watch.ana.username;
    let retry = ["monitors", "--as", name.as_str(), "retry", watch.monitor.as_str(), "1"];
    let (is_well, said) = world().command(&retry).await;
    assert!(is_well && said.contains("asked"), "{said}");
    // Nobody can sign it yet: it is open, and refused again.
    watch.outcome("failed").await;
    let line = watch.of("batches/1").await;
    assert_eq!((&line["state"], &line["attempt"]), (&json!("open"), &json!(1)), "{line:#}");
    assert!(line["reopened_at"].is_string() && line["closed_at"].is_null(), "{line:#}");
    assert_eq!(watch.of("parked").await["items"], json!([]), "it is parked no longer");
    let occurrence = watch.occurrence("due").await;
    assert_eq!(occurrence["asked_by"], json!(watch.ana.id), "{occurrence:#}");

    grant(&watch.maria, "decide").await;
    // Asking twice is asking once.
    watch.retried(1).await;
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    watch.retried(1).await;
    watch.occurrence("started").await;
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let found = watch.ana.get(&format!("/executions/{run}/outputs/look")).await;
    assert_eq!(found["output"]["results"][0]["title"], "second-lost", "{found:#}");
    let kept = watch.ana.get(&format!("/executions/{run}/outputs/keep")).await;
    assert_eq!(kept["output"]["rows_inserted"], 1, "{kept:#}");
    let done = watch.of("batches/1").await;
    assert_eq!((&done["state"], &done["has_moved"]), (&json!("committed"), &json!(true)));
    assert_eq!(watch.occurrence("finished").await["runs"], json!([run]));
    assert_eq!(watch.mark().await["watermark_value"], mark["watermark_value"], "it was behind it");
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    assert_eq!(watch.not_retried(1).await.0, "BATCH_NOT_PARKED");
    let path = format!("/monitors/{}/batches/1/retry", watch.monitor);
    assert_eq!(watch.maria.refused(&path, Some(&json!({}))).await.0, 404, "it is not hers");
    let path = format!("/monitors/{}/batches/9/retry", watch.monitor);
    assert_eq!(watch.ana.refused(&path, Some(&json!({}))).await.0, 404);
}

#[tokio::test]
async fn f_218_a_parked_batch_is_not_retried_beside_another_nor_where_it_had_a_run() {
    let watch = watching().await;
    revoke(&watch.maria, "decide").await;
    watch.parks(1, &["second-lost"]).await;
    grant(&watch.maria, "decide").await;
    watch.feed.publish("third");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(watch.not_retried(1).await.0, "BATCH_OPEN");
    let path = format!("/executions/{run}/cancel");
    watch.ana.post(&path, &json!({})).await;
    watch.ana.reaches(&run, "cancelled").await;
    let (code, help) = watch.not_retried(2).await;
    assert_eq!(code, "BATCH_HAD_RUN");
    assert!(help.contains(&format!("POST /api/agent-factory/executions/{run}/repeat")), "{help}");
    assert_eq!(watch.of("batches/2").await["repeated"], Value::Null);
    let repeat = watch.ana.post(&format!("/executions/{run}/repeat"), &json!({})).await;
    let repeat = repeat["id"].as_str().unwrap();
    watch.ana.reaches(repeat, "awaiting_approval").await;
    let known = |status: &str| json!({ "execution_id": repeat, "status": status });
    assert_eq!(watch.of("batches/2").await["repeated"], known("running"));
    watch.ana.post(&format!("/executions/{repeat}/cancel"), &json!({})).await;
    watch.ana.reaches(repeat, "cancelled").await;
    let parked = watch.of("parked").await;
    let items = parked["items"].as_array().unwrap();
    let third = items.iter().find(|item| item["key"].as_str().unwrap().contains("third"));
    assert_eq!(third.unwrap()["repeated"], known("cancelled"), "{parked:#}");
    watch.switched("pause").await;
    assert_eq!(watch.not_retried(1).await.0, "MONITOR_PAUSED");
    watch.switched("resume").await;
    watch.retried(1).await;
    let first = watch.run().await;
    watch.ana.reaches(&first, "awaiting_approval").await;
}

#[tokio::test]
async fn f_218_a_parked_batch_waits_until_the_playbook_looks_with_the_steps_that_found_it() {
    let watch = watching().await;
    revoke(&watch.maria, "decide").await;
    watch.parks(1, &["second-lost"]).await;
    grant(&watch.maria, "decide").await;
    let other = playbook(SAVE).replace("name: look", "name: see").replace("look.", "see.");
    watch.follows(&other).await;
    watch.retried(1).await;
    let state = until("it is said why it cannot start", || async {
        let state = watch.of("state").await;
        state["last_error"].as_str()?.contains("BATCH_STEPS_CHANGED").then_some(state)
    })
    .await;
    let said = state["last_error"].as_str().unwrap();
    assert!(said.contains("`look`") && said.contains("`see`"), "{said}");
    assert_eq!((&state["open_batch"], watch.runs().await), (&json!(1), 0), "{state:#}");
    assert_eq!(watch.occurrence("due").await["reason"]["code"], "BATCH_STEPS_CHANGED");

    watch.follows(&playbook(SAVE)).await;
    watch.look().await;
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    let found = watch.ana.get(&format!("/executions/{run}/outputs/look")).await;
    assert_eq!(found["output"]["results"][0]["title"], "second-lost", "{found:#}");
    assert_eq!(watch.of("batches/1").await["state"], "committed");
}
