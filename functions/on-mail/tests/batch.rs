//! Batches of mail: each message on its own, none twice.

#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use aws_lambda_events::sqs::SqsEvent;
use countersign_outbox::{Mail, MailId, OutboxError};
use countersign_store_content::{Claim, LEASE};
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use on_mail::{Context, DeliveryList, MailSender, SendError, handle};

/// The list in memory, by the rules of the real one: a claim holds until its lease ends.
#[derive(Default)]
struct List(Mutex<HashMap<MailId, (bool, i64)>>);

impl DeliveryList for List {
    fn claim<'a>(
        &'a self,
        mail: &'a MailId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Claim, OutboxError>> {
        let mut list = self.0.lock().unwrap();
        let claim = match list.get(mail) {
            Some((true, _)) => Claim::Sent,
            Some((false, until)) if *until >= now.as_second() => Claim::Busy,
            _ => {
                list.insert(mail.clone(), (false, now.as_second() + LEASE));
                Claim::Ours
            }
        };
        ready(Ok(claim)).boxed()
    }

    fn sent<'a>(
        &'a self,
        mail: &'a MailId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), OutboxError>> {
        self.0.lock().unwrap().insert(mail.clone(), (true, now.as_second()));
        ready(Ok(())).boxed()
    }

    fn release<'a>(&'a self, mail: &'a MailId) -> BoxFuture<'a, Result<(), OutboxError>> {
        self.0.lock().unwrap().remove(mail);
        ready(Ok(())).boxed()
    }
}

/// A mail sender who fails as often as told, then carries.
#[derive(Default)]
struct Carrier {
    failures: Mutex<Vec<SendError>>,
    carried: Mutex<Vec<String>>,
}

impl MailSender for Carrier {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), SendError>> {
        let outcome = self.failures.lock().unwrap().pop().map_or(Ok(()), Err);
        if outcome.is_ok() {
            self.carried.lock().unwrap().push(mail.subject().to_owned());
        }
        ready(outcome).boxed()
    }
}

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn after(seconds: i64) -> Timestamp {
    Timestamp::from_second(now().as_second() + seconds).unwrap()
}

fn context(failures: Vec<SendError>) -> (Context, Arc<Carrier>) {
    let carrier = Arc::new(Carrier { failures: Mutex::new(failures), ..Carrier::default() });
    (Context { deliveries: Arc::new(List::default()), mail_sender: carrier.clone() }, carrier)
}

fn sample(name: &str) -> SqsEvent {
    let path = format!("{}/../../events/on-mail/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

async fn check(context: &Context, at: Timestamp, failed: &[&str]) {
    let response = handle(sample("batch"), context, at).await;
    let names: Vec<String> =
        response.batch_item_failures.into_iter().map(|item| item.item_identifier).collect();
    assert_eq!(names, failed);
}

#[tokio::test]
async fn a_redelivered_batch_is_mailed_once_and_junk_is_reported() {
    let (context, carrier) = context(Vec::new());
    check(&context, now(), &["m-3"]).await;
    check(&context, after(5), &["m-3"]).await;
    assert_eq!(
        *carrier.carried.lock().unwrap(),
        ["Your signature is needed: Nonprofit Investigator"]
    );
}

#[tokio::test]
async fn k_03_a_refused_mail_comes_back_and_is_sent_then() {
    let (context, carrier) = context(vec![SendError::Busy("TooManyRequestsException".to_owned())]);
    // `m-2` repeats `m-1`: what the first try failed to send, the second sends.
    check(&context, now(), &["m-1", "m-3"]).await;
    check(&context, after(1), &["m-3"]).await;
    assert_eq!(carrier.carried.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_unanswered_send_is_repeated_only_after_its_lease() {
    let (context, carrier) = context(vec![SendError::Unknown]);
    check(&context, now(), &["m-1", "m-2", "m-3"]).await;
    check(&context, after(LEASE - 1), &["m-1", "m-2", "m-3"]).await;
    assert!(carrier.carried.lock().unwrap().is_empty());
    check(&context, after(LEASE + 1), &["m-3"]).await;
    assert_eq!(carrier.carried.lock().unwrap().len(), 1);
}
