//! What listeners hear of a monitor that does not do what it was made for; `on-clock` tells its owner.

use countersign_monitor::{Batch, Failing, State};
use countersign_outbox::DomainEvent;
use countersign_store_catalog::MonitorProgress;
use jiff::Timestamp;

use crate::error::TickError;
use crate::why::Why;
use crate::{Context, TickEvent};

/// Says that a monitor fails at each tick, once its owner is to know. Every such tick says it: whoever tells the owner knows when
/// they were told.
pub(crate) async fn failing(
    ctx: &Context,
    event: &TickEvent,
    state: &State,
    why: &Why,
    now: Timestamp,
) {
    tell(ctx, event, state.failing.as_ref(), why, now).await;
}

/// The same of a step that cannot look while others do.
pub(crate) async fn in_part(
    ctx: &Context,
    event: &TickEvent,
    state: &State,
    why: &Why,
    now: Timestamp,
) {
    let failing = state.in_part.as_ref().map(|in_part| &in_part.failing);
    tell(ctx, event, failing, why, now).await;
}

async fn tell(
    ctx: &Context,
    event: &TickEvent,
    failing: Option<&Failing>,
    why: &Why,
    now: Timestamp,
) {
    let to_be_told = failing.filter(|failing| failing.is_to_be_told(why.is_lasting));
    let Some(failing) = to_be_told else { return };
    let said = about("monitor.failing", event, now).about("code", why.code.as_str());
    publish(ctx, event, said.about("since", failing.since.to_string())).await;
}

/// Says that items are parked, once that is written; whether listeners hear of it. Should this be lost, the monitor's state still
/// has it, and the next tick says it.
pub(crate) async fn parked(
    ctx: &Context,
    event: &TickEvent,
    batch: &Batch,
    code: &str,
    now: Timestamp,
) -> bool {
    alarm(event, batch.number);
    let said = about("monitor.parked", event, now).about("batch", batch.id.as_str());
    publish(ctx, event, said.about("number", batch.number).about("code", code)).await
}

/// An alarm counts these lines.
fn alarm(event: &TickEvent, number: u64) {
    tracing::error!(monitor = %event.monitor, batch = number, "ITEMS_PARKED: what a monitor found is parked");
}

/// Says that items are parked which nobody could say before, and a day later once more: the owner has had a mail about them, or
/// gets one now. Where the monitor stands then; as before when nobody could be told.
pub(crate) async fn recalled(
    ctx: &Context,
    event: &TickEvent,
    standing: MonitorProgress,
    now: Timestamp,
) -> MonitorProgress {
    let Some((parked, state)) = standing.state.recalled(now) else { return standing };
    if parked.is_unsaid {
        alarm(event, parked.number);
    }
    let said = about("monitor.parked", event, now).about("number", parked.number);
    match publish(ctx, event, said.about("code", parked.code)).await {
        true => MonitorProgress { state, ..standing },
        false => standing,
    }
}

/// Says that the open batch is not tried again: where a run of it failed, no mail has told of that run. Whether there is nothing to
/// say, or listeners hear of it. A run that goes on says itself what became of it.
pub(crate) async fn given_up(
    ctx: &Context,
    event: &TickEvent,
    state: &State,
    code: &'static str,
    now: Timestamp,
) -> Result<bool, TickError> {
    let Some(open) = &state.open else { return Ok(true) };
    // What is tried again later has no run yet, and neither has what was refused.
    if open.retry_after.is_none() && ctx.runs.head(&open.run).await?.is_some() {
        return Ok(true);
    }
    let batched = ctx.monitors.batch(&event.monitor, open.number).await?;
    let Some(occurrence) = batched.and_then(|batched| batched.occurrence) else { return Ok(true) };
    Ok(publish(ctx, event, DomainEvent::given_up(&occurrence, code, now)).await)
}

fn about(kind: &'static str, event: &TickEvent, now: Timestamp) -> DomainEvent {
    let said = DomainEvent::new(kind, now).about("monitor", event.monitor.as_str());
    said.about("owner", event.owner.as_str())
}

/// Whether listeners hear of it.
async fn publish(ctx: &Context, event: &TickEvent, said: DomainEvent) -> bool {
    let kind = said.kind();
    let published = ctx.bus.publish(&[said]).await;
    if let Err(error) = &published {
        tracing::warn!(monitor = %event.monitor, kind, %error, "listeners missed an event");
    }
    published.is_ok()
}
