//! What the owner of a monitor is told when it does not do what it was made for.

use countersign_cli::mailbox::Mail;
use serde_json::{Value, json};

use super::{Watch, watching};
use crate::case::{FACTORY, until};
use crate::schedules::invoke;
use crate::world::world;

impl Watch {
    /// What its clock does.
    pub(super) async fn tick(&self) -> Value {
        let owner = &self.ana.id;
        invoke("cron-monitor", &json!({ "owner": owner, "monitor": self.monitor })).await;
        self.of("state").await
    }

    async fn switch(&self, is_active: bool) {
        let path = format!("{FACTORY}/profiles/{}", self.agent);
        self.ana.door.patch(&path, &json!({ "is_active": is_active })).await.unwrap();
    }

    /// The mails to its owner with this subject.
    pub(super) async fn mails(&self, subject: &str) -> Vec<Mail> {
        let mut mails = world().mailbox().to(&self.ana.email).await.unwrap();
        mails.retain(|mail| mail.subject == subject);
        mails
    }

    /// The first of them, once it is there.
    pub(super) async fn mail(&self, subject: &str) -> Mail {
        until(&format!("a mail `{subject}`"), || async {
            self.mails(subject).await.into_iter().next()
        })
        .await
    }

    /// The notifications of its owner of this type.
    pub(super) async fn notes(&self, kind: &str) -> Vec<Value> {
        let page = self.ana.get("/notifications").await;
        let all = page["items"].as_array().unwrap().clone();
        all.into_iter().filter(|note| note["notification_type"] == kind).collect()
    }

    /// Has its owner told once more, by an event like the one that its clock has published.
    async fn told_again(&self) {
        let since = self.of("state").await["failing_since"].clone();
        let detail = json!({
            "at": jiff::Timestamp::now(), "owner": self.ana.id, "monitor": self.monitor,
            "code": "PROFILE_UNAVAILABLE", "since": since,
        });
        invoke("on-clock", &json!({ "detail-type": "monitor.failing", "detail": detail })).await;
    }
}

#[tokio::test]
async fn issue_14_the_owner_of_a_monitor_that_cannot_look_is_told_once() {
    const SUBJECT: &str = "Notices: cannot look";
    let watch = watching().await;
    assert_eq!(watch.of("state").await["failing_since"], Value::Null);
    watch.switch(false).await;
    let first = watch.tick().await;
    assert_eq!(first["last_outcome"], "failed", "{first:#}");
    let since = first["failing_since"].clone();
    assert!(since.is_string(), "{first:#}");
    for _ in 0..4 {
        assert_eq!(watch.tick().await["failing_since"], since, "it is the same failure");
    }
    let mail = watch.mail(SUBJECT).await;
    for body in [&mail.text, &mail.html] {
        assert!(body.contains(&watch.monitor) && body.contains("PROFILE_UNAVAILABLE"), "{body}");
        assert!(body.contains("/errors/PROFILE_UNAVAILABLE"), "where it says what to do: {body}");
        assert!(body.contains(&format!("countersign monitors show {}", watch.monitor)), "{body}");
    }
    watch.told_again().await;
    let notes = watch.notes("monitor_failing").await;
    let [note] = notes.as_slice() else { panic!("told {} times: {notes:#?}", notes.len()) };
    assert_eq!(note["details"]["source_id"], json!(watch.monitor), "{note:#}");
    assert!(note["message"].as_str().unwrap().contains("switched off"), "{note:#}");

    // It has looked since, and fails anew: that is told when a day has passed.
    watch.switch(true).await;
    assert_eq!(watch.look().await["failing_since"], Value::Null);
    watch.switch(false).await;
    for _ in 0..3 {
        watch.tick().await;
    }
    assert_ne!(watch.of("state").await["failing_since"], since);
    watch.told_again().await;
    assert_eq!(watch.notes("monitor_failing").await.len(), 1);
    assert_eq!(watch.mails(SUBJECT).await.len(), 1);
}
