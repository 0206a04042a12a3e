//! A monitor that was removed: its clock ticks until nothing of it is left.

use countersign_monitor::State;
use countersign_store_catalog::CatalogError;
use jiff::{SignedDuration, Timestamp};

use crate::error::TickError;
use crate::ready::clock;
use crate::{Context, TickEvent, notice};

/// What a tick did not come to is done so much later.
const AGAIN: SignedDuration = SignedDuration::from_mins(5);

/// Forgets a monitor: its open batch ends, unless a run of it goes on; its watermarks and batches go, with what those hold.
pub(crate) async fn forget(
    ctx: &Context,
    event: &TickEvent,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let later = clock(event, now.checked_add(AGAIN).unwrap_or(now));
    ctx.monitors.set_clock(&later).await?;
    let state = ctx.monitors.standing(&event.monitor).await?.state;
    match abandon(ctx, event, &state, now).await {
        Err(TickError::Catalog(CatalogError::Changed(_))) => return Ok("gone"),
        outcome => outcome?,
    }
    if ctx.monitors.forget(&event.monitor).await? {
        ctx.monitors.stop_clock(&event.monitor).await?;
    }
    Ok("gone")
}

/// A run that goes on comes to its end and says so itself.
async fn abandon(
    ctx: &Context,
    event: &TickEvent,
    state: &State,
    now: Timestamp,
) -> Result<(), TickError> {
    let Some(open) = &state.open else { return Ok(()) };
    if open.retry_after.is_none() && ctx.runs.head(&open.run).await?.is_some() {
        return Ok(());
    }
    let Some(batched) = ctx.monitors.batch(&event.monitor, open.number).await? else {
        return Ok(());
    };
    // Said before it is so, for it is not said once it is. What is not taken is said at the next tick.
    if !notice::given_up(ctx, event, state, "MONITOR_REMOVED", now).await? {
        return Err(CatalogError::Changed("monitor").into());
    }
    Ok(ctx.monitors.abandon(&batched, state, now).await?)
}
