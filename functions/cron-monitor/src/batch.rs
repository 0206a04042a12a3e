//! The run of a batch: it is started, seen to its end, and tried again.

use countersign_monitor::{Batch, Open, Origin, Outcome, State, fate, noticed};
use countersign_run::{Occurrence, OccurrenceReason};
use countersign_store_catalog::NewBatch;
use jiff::Timestamp;

use crate::error::TickError;
use crate::look::Looked;
use crate::start::{self, Starting};
use crate::tick::{Ready, clock, late_is_well, note};
use crate::{Context, TickEvent};

/// Writes the batch down, then starts its run.
pub(crate) async fn begin(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    looked: Looked,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let (batch, content) = looked.batch(&event.monitor, &ready.standing.state, now);
    let state = ready.standing.state.opened(&batch, now);
    let clock = clock(event, state.overdue_at(ready.timing.interval, now));
    let occurrence = occurrence(event, ready, &batch);
    let new = NewBatch { batch: &batch, content: &content, occurrence: &occurrence };
    let Some(batched) =
        late_is_well(ctx.monitors.open(&state, &looked.marks, Some(&clock), new).await)?
    else {
        return Ok("nothing");
    };
    let starting = Starting { event, ready, batched: &batched, outputs: content.outputs, now };
    begun(ctx, &starting, &state, Outcome::Started).await
}

/// The line of a new batch in the ledger.
fn occurrence(event: &TickEvent, ready: &Ready, batch: &Batch) -> Occurrence {
    let origin = Origin {
        owner: &event.owner,
        name: &ready.monitor.spec.name,
        profile: ready.agent.id.as_str(),
        asked_for: event.asked_for,
    };
    noticed(batch, origin)
}

/// Starts the run of a batch; why it cannot be started is noted, and the next tick tries again.
async fn begun(
    ctx: &Context,
    starting: &Starting<'_>,
    state: &State,
    outcome: Outcome,
) -> Result<&'static str, TickError> {
    let (event, now) = (starting.event, starting.now);
    let Err(problem) = start::run(ctx, starting).await? else {
        ctx.monitors.begun(starting.batched, now).await?;
        return Ok(outcome.as_str());
    };
    let why = start::said(&problem);
    let state = state.failed(&why, now);
    let clock = clock(event, state.overdue_at(starting.ready.timing.interval, now));
    let reason = OccurrenceReason { code: problem.code.clone(), message: why.clone() };
    late_is_well(ctx.monitors.held_up(starting.batched, &reason, &state, &clock).await)?;
    tracing::warn!(monitor = %event.monitor, why, "the run of a batch cannot be started");
    Ok(Outcome::Failed.as_str())
}

/// Sees that the run of the open batch has been started, and that its end is written down.
pub(crate) async fn resume(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    open: &Open,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let head = ctx.runs.head(&open.run).await?;
    match head {
        None => {
            let Some(batched) = ctx.monitors.batch(&event.monitor, open.number).await? else {
                return Ok("nothing");
            };
            let outputs = ctx.monitors.content(&batched).await?.outputs;
            let state = ready.standing.state.ticked(Outcome::Started, now);
            let clock = clock(event, state.overdue_at(ready.timing.interval, now));
            let noted = ctx.monitors.note(&event.monitor, &state, &[], Some(&clock)).await;
            if late_is_well(noted)?.is_none() {
                return Ok("nothing");
            }
            let starting = Starting { event, ready, batched: &batched, outputs, now };
            begun(ctx, &starting, &state, Outcome::Started).await
        }
        Some(head) => {
            if let Some(status) = head.status.filter(|status| fate(*status).is_some()) {
                ctx.monitors.ended(&head, status, now).await?;
                return Ok(Outcome::Waiting.as_str());
            }
            note(ctx, event, ready, Outcome::Waiting, &[], now).await
        }
    }
}

/// Starts the next run of a batch whose run failed.
pub(crate) async fn retry(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    open: &Open,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let Some(batched) = ctx.monitors.batch(&event.monitor, open.number).await? else {
        return Ok("nothing");
    };
    let (batch, state) = batched.batch.tried_again(&ready.standing.state);
    let state = State {
        last_tick_at: Some(now),
        last_outcome: Some(Outcome::Retried),
        last_error: None,
        ..state
    };
    let Some(batched) = late_is_well(ctx.monitors.change(&batched, &batch, &state).await)? else {
        return Ok("nothing");
    };
    let outputs = ctx.monitors.content(&batched).await?.outputs;
    let starting = Starting { event, ready, batched: &batched, outputs, now };
    begun(ctx, &starting, &state, Outcome::Retried).await
}
