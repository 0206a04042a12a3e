//! From the event to what was done.

use countersign_lambda_entry::Invocation;
use countersign_monitor::{
    Due, Interval, MonitorSpec, Open, Outcome, State, Timing, Watermark, detections, fate,
    tick as due,
};
use countersign_profile::Profile;
use countersign_run_start::{Invoker, on_behalf};
use countersign_store_catalog::{CatalogError, Clock, Standing, Stored, StoredPlaybook};
use futures::future::{join, try_join};
use jiff::Timestamp;

use crate::error::TickError;
use crate::look::{Looked, Looking};
use crate::start::{self, Starting};
use crate::{Context, TickEvent};

/// A monitor with what it needs to look.
pub(crate) struct Ready {
    pub(crate) monitor: Stored<MonitorSpec>,
    pub(crate) agent: Profile,
    pub(crate) playbook: StoredPlaybook,
    pub(crate) timing: Timing,
    pub(crate) standing: Standing,
    /// Its owner, with what they may do now of what it was saved with.
    pub(crate) invoker: Invoker,
}

/// One tick; what it came to, in a word.
pub(crate) async fn tick(
    ctx: &Context,
    event: &TickEvent,
    invocation: &Invocation,
) -> Result<&'static str, TickError> {
    let monitors = ctx.catalog.collection::<Stored<MonitorSpec>>();
    let monitor = monitors.own(&event.owner, &event.monitor);
    let (monitor, standing) = try_join(monitor, ctx.monitors.standing(&event.monitor)).await?;
    let Some(monitor) = monitor else {
        ctx.monitors.stop_clock(&event.monitor).await?;
        return Ok("gone");
    };
    if !monitor.spec.is_active {
        ctx.monitors.stop_clock(&monitor.id).await?;
        return Ok("paused");
    }
    let ready = match ready(ctx, event, monitor, standing).await? {
        Ok(ready) => ready,
        Err(unready) => return unready.note(ctx, event, invocation.now).await,
    };
    let now = invocation.now;
    match due(&ready.standing.state, &ready.timing, event.asked_for, now) {
        Due::Nothing => too_soon(ctx, event, &ready, now).await,
        Due::OutsideHours => note(ctx, event, &ready, Outcome::OutsideActiveHours, &[], now).await,
        Due::Resume(open) => resume(ctx, event, &ready, &open, now).await,
        Due::Retry(open) => retry(ctx, event, &ready, &open, now).await,
        Due::Look => look(ctx, event, &ready, invocation).await,
    }
}

/// It ticked a moment ago: the sweeper need not come again before the next tick is overdue.
async fn too_soon(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let state = &ready.standing.state;
    if state.open.is_none() {
        let last = state.last_tick_at.unwrap_or(now);
        let next = last.checked_add(ready.timing.interval.length()).unwrap_or(last);
        ctx.monitors.set_clock(&clock(event, next)).await?;
    }
    Ok("nothing")
}

/// Why a monitor cannot look.
struct Unready {
    standing: Standing,
    why: String,
}

async fn ready(
    ctx: &Context,
    event: &TickEvent,
    monitor: Stored<MonitorSpec>,
    standing: Standing,
) -> Result<Result<Ready, Unready>, TickError> {
    let unready = |standing, why: String| Ok(Err(Unready { standing, why }));
    // Nobody looks with the credentials of somebody who is no longer there.
    let owner = on_behalf(&ctx.directory, &event.owner, monitor.scopes.as_ref());
    let (owner, read) = join(owner, agent_and_playbook(ctx, event, &monitor)).await;
    let invoker = match owner {
        Ok(invoker) => invoker,
        Err(problem) => return start::refused(&problem).and_then(|why| unready(standing, why)),
    };
    let (agent, playbook) = read?;
    let Some(agent) = agent.filter(|agent| agent.is_active) else {
        let why = format!("the agent `{}` is gone or switched off", monitor.spec.profile_id);
        return unready(standing, why);
    };
    let Some(playbook) = playbook else {
        let why = match monitor.spec.playbook(&agent.spec) {
            Some(named) => format!("the playbook `{named}` is gone"),
            None => "it names no playbook, and its agent has none that comes first".to_owned(),
        };
        return unready(standing, why);
    };
    match Timing::of(&monitor.spec, playbook.playbook.monitor_config.as_ref()) {
        Ok(timing) => Ok(Ok(Ready { monitor, agent, playbook, timing, standing, invoker })),
        Err(_) => {
            let why = "neither the monitor nor its playbook says how often to look".to_owned();
            unready(standing, why)
        }
    }
}

/// With one request when the monitor names its playbook.
async fn agent_and_playbook(
    ctx: &Context,
    event: &TickEvent,
    monitor: &Stored<MonitorSpec>,
) -> Result<(Option<Profile>, Option<StoredPlaybook>), TickError> {
    let (owner, id) = (&event.owner, &monitor.spec.profile_id);
    if let Some(named) = &monitor.spec.playbook_id {
        return Ok(ctx.catalog.agent_and_playbook(owner, id, named).await?);
    }
    let agent = ctx.catalog.profiles().get(owner, id).await?;
    let named = agent.as_ref().and_then(|agent| monitor.spec.playbook(&agent.spec));
    let playbook = match named.map(str::to_owned) {
        Some(named) => ctx.catalog.playbooks().get(owner, &named).await?,
        None => None,
    };
    Ok((agent, playbook))
}

impl Unready {
    /// The owner sees with the monitor why it does not look. It is asked again in an hour.
    async fn note(
        self,
        ctx: &Context,
        event: &TickEvent,
        now: Timestamp,
    ) -> Result<&'static str, TickError> {
        let state = self.standing.state.failed(&self.why, now);
        let overdue_at = state.overdue_at(Interval::Hour, now);
        let clock =
            Clock { owner: event.owner.clone(), monitor: event.monitor.clone(), overdue_at };
        late_is_well(ctx.monitors.note(&event.monitor, &state, &[], Some(&clock)).await)?;
        tracing::warn!(monitor = %event.monitor, why = self.why, "the monitor cannot look");
        Ok(Outcome::Failed.as_str())
    }
}

/// Notes a tick that started nothing.
async fn note(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    outcome: Outcome,
    marks: &[Watermark],
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let state = ready.standing.state.ticked(outcome, now);
    let (state, marks) = match outcome {
        Outcome::Suppressed => state.found_nothing(&ready.standing.marks, marks),
        _ => (state, marks.to_vec()),
    };
    let clock = clock(event, state.overdue_at(ready.timing.interval, now));
    late_is_well(ctx.monitors.note(&event.monitor, &state, &marks, Some(&clock)).await)?;
    Ok(outcome.as_str())
}

fn clock(event: &TickEvent, overdue_at: Timestamp) -> Clock {
    Clock { owner: event.owner.clone(), monitor: event.monitor.clone(), overdue_at }
}

/// Of two ticks at once one is lost, and that is all there is to it.
fn late_is_well(outcome: Result<(), CatalogError>) -> Result<bool, TickError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(CatalogError::Changed(_)) => Ok(false),
        Err(other) => Err(other.into()),
    }
}

/// Looks, and starts a run when there is something new.
async fn look(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    invocation: &Invocation,
) -> Result<&'static str, TickError> {
    let now = invocation.now;
    let steps = match detections(&ready.playbook.playbook, &ctx.registry) {
        Ok(steps) => steps,
        Err(why) => {
            let why =
                format!("the playbook `{}` is not a monitor's: {why}", ready.playbook.playbook.id);
            let unready = Unready { standing: ready.standing.clone(), why };
            return unready.note(ctx, event, now).await;
        }
    };
    let looking = Looking { ctx, event, ready, invocation };
    let looked = match looking.all(&steps).await {
        Ok(looked) => looked,
        Err(why) => {
            let state = ready.standing.state.failed(&why, now);
            let clock = clock(event, state.overdue_at(ready.timing.interval, now));
            late_is_well(ctx.monitors.note(&event.monitor, &state, &[], Some(&clock)).await)?;
            tracing::warn!(monitor = %event.monitor, why, "a look failed");
            return Ok(Outcome::Failed.as_str());
        }
    };
    match looked.is_worth_a_run(ready) {
        true => begin(ctx, event, ready, looked, now).await,
        false if looked.is_baseline => {
            note(ctx, event, ready, Outcome::Baseline, &looked.moved(now), now).await
        }
        false => note(ctx, event, ready, Outcome::Suppressed, &looked.marks, now).await,
    }
}

/// Writes the batch down, then starts its run.
async fn begin(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    looked: Looked,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let (batch, content) = looked.batch(&event.monitor, &ready.standing.state, now);
    let state = ready.standing.state.opened(&batch, now);
    let clock = clock(event, state.overdue_at(ready.timing.interval, now));
    let written = ctx.monitors.open(&state, &looked.marks, Some(&clock), (&batch, &content)).await;
    if !late_is_well(written)? {
        return Ok("nothing");
    }
    let starting = Starting { event, ready, batch: &batch, outputs: content.outputs, now };
    begun(ctx, &starting, &state, Outcome::Started).await
}

/// Starts the run of a batch; why it cannot be started is noted, and the next tick tries again.
async fn begun(
    ctx: &Context,
    starting: &Starting<'_>,
    state: &State,
    outcome: Outcome,
) -> Result<&'static str, TickError> {
    let Err(why) = start::run(ctx, starting).await? else { return Ok(outcome.as_str()) };
    let (event, now) = (starting.event, starting.now);
    let state = state.failed(&why, now);
    let clock = clock(event, state.overdue_at(starting.ready.timing.interval, now));
    late_is_well(ctx.monitors.note(&event.monitor, &state, &[], Some(&clock)).await)?;
    tracing::warn!(monitor = %event.monitor, why, "the run of a batch cannot be started");
    Ok(Outcome::Failed.as_str())
}

/// Sees that the run of the open batch has been started, and that its end is written down.
async fn resume(
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
            let batch = &batched.batch;
            let state = ready.standing.state.ticked(Outcome::Started, now);
            let clock = clock(event, state.overdue_at(ready.timing.interval, now));
            let noted = ctx.monitors.note(&event.monitor, &state, &[], Some(&clock)).await;
            if !late_is_well(noted)? {
                return Ok("nothing");
            }
            let starting = Starting { event, ready, batch, outputs, now };
            begun(ctx, &starting, &state, Outcome::Started).await
        }
        Some(head) => {
            if let (Some(from), Some(status)) = (&head.from_monitor, head.status)
                && fate(status).is_some()
            {
                ctx.monitors.ended(from, &head.run, status, now).await?;
                return Ok(Outcome::Waiting.as_str());
            }
            note(ctx, event, ready, Outcome::Waiting, &[], now).await
        }
    }
}

/// Starts the next run of a batch whose run failed.
async fn retry(
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
    if !late_is_well(ctx.monitors.change(&batched, &batch, &state).await)? {
        return Ok("nothing");
    }
    let outputs = ctx.monitors.content(&batched).await?.outputs;
    let starting = Starting { event, ready, batch: &batch, outputs, now };
    begun(ctx, &starting, &state, Outcome::Retried).await
}
