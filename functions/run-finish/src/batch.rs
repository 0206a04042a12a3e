//! What becomes of the batch of a monitor at the end of its run (F-214).

use countersign_outbox::DomainEvent;
use countersign_run::{EndPart, FromMonitor, Head};
use jiff::Timestamp;

use crate::unwritten::Unwritten;
use crate::{Context, Done, FinishError};

/// What a monitor found is done, or is tried again. It is written before the run is, so that it is not forgotten. An owner who could
/// not be told that it is parked is told by the monitor's clock.
pub(crate) async fn settle(
    context: &Context,
    done: &Done<'_>,
    unwritten: &mut Unwritten,
) -> Result<(), FinishError> {
    let Some(from) = &done.head.from_monitor else { return Ok(()) };
    let is_parked = match context.monitors.ended(done.head, done.status, done.at).await? {
        Some(state) => state.is_parked(),
        // Whoever wrote it may have died before it was said.
        None => context.monitors.was_parked_by(done.head, from).await?,
    };
    if is_parked && unwritten.has_untold_owner {
        let left = context.monitors.leave_untold(done.head, from, done.at).await;
        unwritten.unless_never(&done.head.run, EndPart::Notice, left.map_err(Into::into))?;
    }
    if is_parked {
        say_parked(context, done.head, from, done.at).await;
    }
    Ok(())
}

/// Tells listeners that items are parked, once that is written and before the run is finished: so they hear of it at least once,
/// unless the bus does not take it. Their owner has read it by then in the notice of the run, or is told by the monitor's clock where
/// that could not be written.
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
