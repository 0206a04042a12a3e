//! What listeners hear of a monitor that does not do what it was made for; `on-clock` tells its owner.

use countersign_monitor::{Batch, State};
use countersign_outbox::DomainEvent;
use countersign_store_catalog::Standing;
use jiff::Timestamp;

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
    let failing = state.failing.as_ref();
    let Some(failing) = failing.filter(|failing| failing.is_to_be_told(why.is_lasting)) else {
        return;
    };
    let said = about("monitor.failing", event, now).about("code", why.code.as_str());
    publish(ctx, event, said.about("since", failing.since.to_string())).await;
}

/// Says that items are parked, once that is written. Should this be lost, the monitor's state still has it, and the next mail about
/// parked items counts them.
pub(crate) async fn parked(
    ctx: &Context,
    event: &TickEvent,
    batch: &Batch,
    code: &str,
    now: Timestamp,
) {
    tracing::error!(monitor = %event.monitor, batch = %batch.id, "ITEMS_PARKED: what a monitor found is parked");
    let said = about("monitor.parked", event, now).about("batch", batch.id.as_str());
    publish(ctx, event, said.about("number", batch.number).about("code", code)).await;
}

/// Says a day later once more that items are parked: the owner has had a mail about them, or gets one now. Where the monitor
/// stands then; as before when nobody could be told.
pub(crate) async fn recalled(
    ctx: &Context,
    event: &TickEvent,
    standing: Standing,
    now: Timestamp,
) -> Standing {
    let Some((parked, state)) = standing.state.recalled(now) else { return standing };
    let said = about("monitor.parked", event, now).about("number", parked.number);
    match publish(ctx, event, said.about("code", parked.code)).await {
        true => Standing { state, ..standing },
        false => standing,
    }
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
