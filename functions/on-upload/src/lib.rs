//! Fires the triggers that wait for a file in a folder.
//!
//! The data bucket says which objects were made. Every message of a batch is dealt with on its own; one that could not be is
//! reported, comes back, and ends in the dead letter queue, where an alarm waits. A file fires a trigger once for each version
//! of its content, however often it is reported.

mod arrived;

use std::time::Duration;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use countersign_clock::{Clock, ClockError, EventOutcome};
use countersign_failure::{Failure as _, chain};
use countersign_lambda_entry::Invocation;
use countersign_run::{Ancestry, TriggeredBy};
use countersign_trigger::FiringTrigger;
use futures::StreamExt as _;
use futures::future::ready;
use futures::stream;
use jiff::Timestamp;
use tokio::time::timeout;

pub use arrived::{Arrived, arrivals};

/// So many messages are dealt with at once: one that takes long does not hold up the others.
const AT_ONCE: usize = 5;

/// What is left of an invocation to say which messages are to come again.
const TO_ANSWER: Duration = Duration::from_secs(3);

/// Fires what waits for the files of a batch; names the messages to be delivered again.
pub async fn handle(event: SqsEvent, clock: &Clock, invocation: &Invocation) -> SqsBatchResponse {
    let now = invocation.now;
    let each = time_of_each(event.records.len(), invocation.remaining);
    deliver(event, each, |message| async move { one(&message, clock, now).await }).await
}

/// How long each of so many messages may take, so that the last one has its time as well.
fn time_of_each(messages: usize, remaining: Duration) -> Duration {
    let rounds = u32::try_from(messages.div_ceil(AT_ONCE)).unwrap_or(u32::MAX).max(1);
    remaining.saturating_sub(TO_ANSWER) / rounds
}

/// Why a message comes again.
enum Undone {
    Failed(ClockError),
    TooLong,
}

/// Deals with each message of a batch; names those that failed, or took longer than `each`.
async fn deliver<F>(
    event: SqsEvent,
    each: Duration,
    deal: impl Fn(SqsMessage) -> F,
) -> SqsBatchResponse
where
    F: Future<Output = Result<(), ClockError>>,
{
    let dealt = stream::iter(event.records).map(|message| {
        let id = message.message_id.clone().unwrap_or_default();
        let dealing = deal(message);
        async move {
            match timeout(each, dealing).await {
                Ok(dealt) => dealt.err().map(|error| (id, Undone::Failed(error))),
                Err(_) => Some((id, Undone::TooLong)),
            }
        }
    });
    let failed: Vec<_> = dealt.buffer_unordered(AT_ONCE).filter_map(ready).collect().await;
    let mut response = SqsBatchResponse::default();
    for (id, undone) in failed {
        match undone {
            Undone::Failed(error) => {
                let code = error.code();
                tracing::error!(code, error = chain(&error), "a file fired no trigger");
            }
            Undone::TooLong => tracing::error!(message = id, "a file took too long"),
        }
        let mut failure = BatchItemFailure::default();
        failure.item_identifier = id;
        response.batch_item_failures.push(failure);
    }
    response
}

async fn one(message: &SqsMessage, clock: &Clock, now: Timestamp) -> Result<(), ClockError> {
    for arrived in arrivals(message.body.as_deref().unwrap_or_default()) {
        fire(&arrived, clock, now).await?;
    }
    Ok(())
}

async fn fire(arrived: &Arrived, clock: &Clock, now: Timestamp) -> Result<(), ClockError> {
    let Arrived { owner, folder, fired } = arrived;
    let TriggeredBy::File { name, .. } = fired else { return Ok(()) };
    for trigger in clock.catalog.folder_listeners(owner, folder).await? {
        if !trigger.spec.on.takes_file(folder, name) {
            continue;
        }
        let (id, spec) = (&trigger.id, &trigger.spec);
        let firing =
            FiringTrigger { owner, trigger: id, spec, fired, led_by: &Ancestry::NONE, at: now };
        if let EventOutcome::New(occurrence) = clock.fire(&firing, &trigger, None).await? {
            tracing::info!(occurrence = %occurrence.id, state = occurrence.state.as_str(), "a file has fired");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::Notify;

    use super::*;

    fn message(id: &str) -> SqsMessage {
        let mut message = SqsMessage::default();
        message.message_id = Some(id.to_owned());
        message
    }

    #[tokio::test]
    async fn issue_14_one_message_neither_holds_up_nor_fails_the_others() {
        let (last, order) = (Notify::new(), Mutex::new(Vec::new()));
        let (last, order) = (&last, &order);
        let mut event = SqsEvent::default();
        event.records = ["slow", "bad", "good"].map(message).to_vec();
        let response = deliver(event, Duration::from_secs(60), |message| async move {
            let id = message.message_id.unwrap();
            match id.as_str() {
                // It goes on only once the last one was dealt with.
                "slow" => last.notified().await,
                "good" => last.notify_one(),
                _ => return Err(ClockError::NotStarted("OFF".to_owned())),
            }
            order.lock().unwrap().push(id);
            Ok(())
        })
        .await;
        assert_eq!(*order.lock().unwrap(), ["good", "slow"]);
        let failed: Vec<_> =
            response.batch_item_failures.iter().map(|one| one.item_identifier.as_str()).collect();
        assert_eq!(failed, ["bad"]);
    }

    #[tokio::test]
    async fn issue_14_a_message_without_end_comes_again_and_the_others_have_their_time() {
        let mut event = SqsEvent::default();
        event.records = ["1", "2", "3", "4", "5", "6"].map(message).to_vec();
        let done = &Mutex::new(Vec::new());
        let response = deliver(event, Duration::from_millis(20), |message| async move {
            let id = message.message_id.unwrap();
            if id != "6" {
                std::future::pending::<()>().await;
            }
            done.lock().unwrap().push(id);
            Ok(())
        })
        .await;
        assert_eq!(*done.lock().unwrap(), ["6"]);
        assert_eq!(response.batch_item_failures.len(), 5);
    }

    #[test]
    fn issue_14_the_messages_of_a_batch_share_its_time() {
        let of = |messages| time_of_each(messages, Duration::from_secs(59)).as_secs();
        assert_eq!([0, 1, 5, 6, 10].map(of), [56, 56, 56, 28, 28]);
        assert_eq!(time_of_each(10, Duration::from_secs(1)), Duration::ZERO);
    }
}
