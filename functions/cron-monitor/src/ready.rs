//! A monitor that can look, and the note of a tick.

use countersign_monitor::{MonitorSpec, State, TickOutcome, Timing, Watermark};
use countersign_profile::Profile;
use countersign_run_start::Invoker;
use countersign_store_catalog::{CatalogError, Clock, MonitorProgress, Stored, StoredPlaybook};
use jiff::Timestamp;

use crate::error::TickError;
use crate::{Context, TickEvent};

/// A monitor with what it needs to look.
pub(crate) struct Ready {
    pub(crate) monitor: Stored<MonitorSpec>,
    pub(crate) agent: Profile,
    pub(crate) playbook: StoredPlaybook,
    pub(crate) timing: Timing,
    pub(crate) standing: MonitorProgress,
    /// Its owner, with what they may do now of what it was saved with.
    pub(crate) invoker: Invoker,
}

/// Notes a tick that started nothing.
pub(crate) async fn note(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    outcome: TickOutcome,
    marks: &[Watermark],
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let state = ready.standing.state.ticked(outcome, now);
    let (state, marks) = match outcome {
        TickOutcome::Suppressed => state.found_nothing(&ready.standing.marks, marks),
        _ => (state, marks.to_vec()),
    };
    write(ctx, event, ready, (&state, &marks), now).await?;
    Ok(outcome.as_str())
}

/// Writes where a monitor stands after a tick, and when the next one is overdue; none when another tick was faster.
pub(crate) async fn write(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    (state, marks): (&State, &[Watermark]),
    now: Timestamp,
) -> Result<Option<()>, TickError> {
    let clock = clock(event, state.overdue_at(&ready.timing, now));
    late_is_well(ctx.monitors.note(&event.monitor, state, marks, Some(&clock)).await)
}

pub(crate) fn clock(event: &TickEvent, overdue_at: Timestamp) -> Clock {
    Clock { owner: event.owner.clone(), monitor: event.monitor.clone(), overdue_at }
}

/// Of two ticks at once one is lost, and that is all there is to it.
pub(crate) fn late_is_well<T>(outcome: Result<T, CatalogError>) -> Result<Option<T>, TickError> {
    match outcome {
        Ok(written) => Ok(Some(written)),
        Err(CatalogError::Changed(_)) => Ok(None),
        Err(other) => Err(other.into()),
    }
}
