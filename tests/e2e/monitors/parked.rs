//! What owners are told of batches that are parked one after the other.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Watch, watching};
use crate::case::{revoke, until};
use crate::outage::Record;
use crate::schedules::alarm::raised;
use crate::schedules::invoke;

impl Watch {
    /// Finds this, of which no run can be started, until it is parked.
    async fn parks(&self, number: usize, titles: &[&str]) {
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
        let mails = crate::world::world().mailbox().to(&self.ana.email).await.unwrap();
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
