//! The run of a batch: it is started, seen to its end, and tried again.

use countersign_monitor::{
    Batch, Open, Origin, Settled, StartBlocker, State, TickOutcome, fate, noticed, parked_at_once,
    refused,
};
use countersign_run::{Ancestry, Occurrence, OccurrenceReason};
use countersign_store_catalog::{Batched, Clock, NewBatch};
use countersign_web::Problem;
use jiff::Timestamp;

use crate::error::TickError;
use crate::look::Looked;
use crate::ready::{Ready, clock, late_is_well, note, write};
use crate::start::{self, Starting};
use crate::why::Why;
use crate::{Context, TickEvent, notice, stops};

/// Writes the batch down, then starts its run.
pub(crate) async fn begin(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    looked: Looked,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let (batch, content) = looked.batch(&event.monitor, &ready.standing.state, now);
    let state = match &looked.unseen {
        Some(why) => ready.standing.state.opened_in_part(&batch, &why.said, now),
        None => ready.standing.state.opened(&batch, now),
    };
    let clock = clock(event, state.overdue_at(&ready.timing, now));
    let Ancestry { chain, others } = looked.led_by;
    let occurrence = Occurrence { chain, others, ..occurrence(event, ready, &batch) };
    let new = NewBatch { batch: &batch, content: &content, occurrence: &occurrence };
    let Some(batched) =
        late_is_well(ctx.monitors.open(&state, &looked.marks, Some(&clock), new).await)?
    else {
        return Ok("nothing");
    };
    if let Some(why) = &looked.unseen {
        tracing::warn!(monitor = %event.monitor, code = why.code, "a step could not look");
        notice::in_part(ctx, event, &state, why, now).await;
    }
    let outcome = TickOutcome::Started;
    let trying = Trying { event, ready, batched: &batched, state: &state, outcome, now };
    if let Some(why) = &looked.stopped {
        return trying.park(ctx, why).await;
    }
    let starting = Starting { ready, batched: &batched, outputs: content.outputs, now };
    let started = start::run(ctx, &starting).await;
    trying.note(ctx, started).await
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

/// A batch whose run is to be started.
struct Trying<'a> {
    event: &'a TickEvent,
    ready: &'a Ready,
    batched: &'a Batched,
    /// The monitor's, as it was written.
    state: &'a State,
    outcome: TickOutcome,
    now: Timestamp,
}

impl Trying<'_> {
    /// Starts the run with what the batch holds.
    async fn start(&self, ctx: &Context) -> Result<&'static str, TickError> {
        let Self { ready, batched, .. } = *self;
        let started = match ctx.monitors.content(batched).await {
            Ok(content) => {
                if let Some(why) = stops::of_batch(ctx, ready, &content) {
                    return self.park(ctx, &why).await;
                }
                if let Some(why) = stops::other_steps(ctx, ready, &content) {
                    return self.note(ctx, Ok(Err(why))).await;
                }
                let (outputs, now) = (content.outputs, self.now);
                let starting = Starting { ready, batched, outputs, now };
                start::run(ctx, &starting).await
            }
            Err(error) => Err(error.into()),
        };
        self.note(ctx, started).await
    }

    /// Notes what came of starting it; why it cannot be started is seen with the monitor, and a later tick tries again.
    async fn note(
        &self,
        ctx: &Context,
        started: Result<Result<(), Problem>, TickError>,
    ) -> Result<&'static str, TickError> {
        let (why, hindrance, passing) = match started {
            Ok(Ok(())) => return Ok(self.outcome.as_str()),
            Ok(Err(problem)) => {
                (Why::of_problem(&problem), hindrance(ctx, &problem, self.now), None)
            }
            // The function is tried again; meanwhile the owner sees what it waits for.
            Err(error) => (Why::of_error(&error), StartBlocker::Unanswered, Some(error)),
        };
        // Somebody else, who was not refused, has started it in between.
        if ctx.runs.head(&self.batched.batch.run).await?.is_some() {
            return passing.map_or(Ok(self.outcome.as_str()), Err);
        }
        if self.is_outdated(ctx).await? {
            return passing.map_or(Ok("nothing"), Err);
        }
        let monitor = &self.event.monitor;
        tracing::warn!(%monitor, code = why.code, "the run of a batch cannot be started");
        let state = self.state.not_started(&why.said, hindrance, &self.ready.timing, self.now);
        let overdue_at = state.overdue_at(&self.ready.timing, self.now);
        let clock = clock(self.event, overdue_at);
        let message = why.said.chars().take(500).collect();
        let reason = OccurrenceReason { code: why.code.clone(), message };
        if hindrance == StartBlocker::Refused {
            self.refuse(ctx, &reason, &state, &clock).await?;
        } else {
            late_is_well(ctx.monitors.held_up(self.batched, &reason, &state, &clock).await)?;
            notice::failing(ctx, self.event, &state, &why, self.now).await;
        }
        passing.map_or(Ok(TickOutcome::Failed.as_str()), Err)
    }

    /// Whether somebody else has changed the batch: what this tick knows of it holds no more.
    async fn is_outdated(&self, ctx: &Context) -> Result<bool, TickError> {
        let Batch { monitor_id, number, version, .. } = &self.batched.batch;
        let stored = ctx.monitors.batch(monitor_id, *number).await?;
        Ok(stored.is_none_or(|stored| stored.batch.version != *version))
    }

    /// A run that is refused is tried again a few times; then the items of its batch are parked.
    async fn refuse(
        &self,
        ctx: &Context,
        why: &OccurrenceReason,
        state: &State,
        clock: &Clock,
    ) -> Result<(), TickError> {
        let settled = refused(&self.batched.batch, state, why, self.event.asked_for, self.now);
        self.settle(ctx, why, &settled, clock).await
    }

    /// Parks a batch whose run could only end in an error: trying it would change nothing.
    async fn park(&self, ctx: &Context, why: &OccurrenceReason) -> Result<&'static str, TickError> {
        let state = self.state.failed(&format!("{}: {}", why.code, why.message), self.now);
        let clock = clock(self.event, state.overdue_at(&self.ready.timing, self.now));
        let settled = parked_at_once(&self.batched.batch, &state, why, self.now);
        self.settle(ctx, why, &settled, &clock).await?;
        Ok(TickOutcome::Failed.as_str())
    }

    async fn settle(
        &self,
        ctx: &Context,
        why: &OccurrenceReason,
        settled: &Settled,
        clock: &Clock,
    ) -> Result<(), TickError> {
        let written = ctx.monitors.refused(self.batched, settled, clock, self.now).await;
        // Whoever was faster has said what became of it.
        if late_is_well(written)?.is_some() && settled.batch.state.is_parked() {
            self.say_parked(ctx, &why.code, &settled.state, clock).await?;
        }
        Ok(())
    }

    /// Says that the batch is parked, and notes that it was said; what is not noted the next tick says once more.
    async fn say_parked(
        &self,
        ctx: &Context,
        code: &str,
        written: &State,
        clock: &Clock,
    ) -> Result<(), TickError> {
        let batch = &self.batched.batch;
        if notice::parked(ctx, self.event, batch, code, self.now).await {
            let said = State { version: written.version + 1, ..written.said() };
            late_is_well(ctx.monitors.note(&batch.monitor_id, &said, &[], Some(clock)).await)?;
        }
        Ok(())
    }
}

/// What is used up today is not tomorrow.
fn hindrance(ctx: &Context, problem: &Problem, now: Timestamp) -> StartBlocker {
    match problem.status {
        429 => StartBlocker::UsedUp { until: ctx.runs_per_day.exceeded(now).anew },
        _ => StartBlocker::Refused,
    }
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
            let state = ready.standing.state.ticked(TickOutcome::Started, now);
            if write(ctx, event, ready, (&state, &[]), now).await?.is_none() {
                return Ok("nothing");
            }
            let outcome = TickOutcome::Started;
            Trying { event, ready, batched: &batched, state: &state, outcome, now }.start(ctx).await
        }
        Some(head) => {
            if let Some(status) = head.status.filter(|status| fate(*status).is_some()) {
                ctx.monitors.ended(&head, status, now).await?;
                return Ok(TickOutcome::Waiting.as_str());
            }
            note(ctx, event, ready, TickOutcome::Waiting, &[], now).await
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
    let state = state.retried(now);
    let Some(batched) = late_is_well(ctx.monitors.change(&batched, &batch, &state).await)? else {
        return Ok("nothing");
    };
    let outcome = TickOutcome::Retried;
    Trying { event, ready, batched: &batched, state: &state, outcome, now }.start(ctx).await
}
