//! What becomes of the batch of a monitor at the end of its run (F-214).

use countersign_outbox::DomainEvent;
use countersign_run::{FromMonitor, Head};
use jiff::Timestamp;

use crate::{Context, Done, FinishError};

/// What a monitor found is done, or is tried again. It is written before the run is, so that it is not forgotten.
pub(crate) async fn settle(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    let Some(from) = &done.head.from_monitor else { return Ok(()) };
    let is_parked = match context.monitors.ended(done.head, done.status, done.at).await? {
        Some(state) => state.is_parked(),
        // Whoever wrote it may have died before it was said.
        None => context.monitors.was_parked_by(done.head, from).await?,
    };
    if is_parked {
        say_parked(context, done.head, from, done.at).await;
    }
    Ok(())
}

/// Tells listeners that items are parked, once that is written and before the run is finished: so they hear of it at least once,
/// unless the bus does not take it. Their owner has read it by then in the mail about the run, unless that could not be written: then
/// the alarm tells the operator.
async fn say_parked(context: &Context, head: &Head, from: &FromMonitor, at: Timestamp) {
    tracing::error!(monitor = %from.monitor, batch = %from.batch, "ITEMS_PARKED: what a monitor found is parked");
    let event = DomainEvent::new("monitor.parked", at).about("monitor", from.monitor.as_str());
    let event = event.about("batch", from.batch.as_str()).about("owner", head.owner.as_str());
    // So nobody else tells them.
    let event = event.about("run", head.run.as_str());
    if let Err(error) = context.bus.publish(&[event]).await {
        tracing::warn!(monitor = %from.monitor, %error, "listeners missed that items are parked");
    }
}
