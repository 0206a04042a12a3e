//! Fires the triggers that wait for a file in a folder.
//!
//! The data bucket says which objects were made. Every message of a batch is dealt with on its own; one that could not be is
//! reported, comes back, and ends in the dead letter queue, where an alarm waits. A file fires a trigger once for each version
//! of its content, however often it is reported.

mod arrived;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use countersign_clock::{Clock, ClockError, Outcome};
use countersign_failure::{Failure as _, chain};
use countersign_run::Fired;
use countersign_trigger::Firing;
use jiff::Timestamp;

pub use arrived::{Arrived, arrivals};

/// Fires what waits for the files of a batch; names the messages to be delivered again.
pub async fn handle(event: SqsEvent, clock: &Clock, now: Timestamp) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for message in event.records {
        if let Err(error) = one(&message, clock, now).await {
            tracing::error!(
                code = error.code(),
                error = chain(&error),
                "a file could not fire a trigger"
            );
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = message.message_id.unwrap_or_default();
            response.batch_item_failures.push(failure);
        }
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
    let Fired::File { name, .. } = fired else { return Ok(()) };
    for trigger in clock.catalog.folder_listeners(owner, folder).await? {
        if !trigger.spec.on.takes_file(folder, name) {
            continue;
        }
        let (id, spec) = (&trigger.id, &trigger.spec);
        let firing = Firing { owner, trigger: id, spec, fired, chain: &[], at: now };
        if let Outcome::New(occurrence) = clock.fire(&firing, &trigger, None).await? {
            tracing::info!(occurrence = %occurrence.id, state = occurrence.state.as_str(), "a file has fired");
        }
    }
    Ok(())
}
