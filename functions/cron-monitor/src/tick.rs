//! From the event to what was done.

use countersign_lambda_entry::Invocation;
use countersign_monitor::{
    Due, MonitorSpec, State, TickOutcome, Timing, Watermark, detections, tick as due,
};
use countersign_profile::Profile;
use countersign_run_start::on_behalf;
use countersign_store_catalog::{MonitorProgress, Stored, StoredPlaybook};
use futures::future::{join, try_join};
use jiff::Timestamp;

use crate::error::TickError;
use crate::look::{Looked, Looking, Unseen};
use crate::ready::{Ready, clock, late_is_well, note, write};
use crate::why::Why;
use crate::{Context, TickEvent, batch, gone, notice, said, start};

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
        return gone::forget(ctx, event, invocation.now).await;
    };
    let standing = notice::recalled(ctx, event, standing, invocation.now).await;
    if !monitor.spec.is_active {
        return paused(ctx, event, &standing, invocation.now).await;
    }
    let ready = match ready(ctx, event, monitor, standing).await? {
        Ok(ready) => ready,
        Err(unready) => return unready.note(ctx, event, invocation.now).await,
    };
    let now = invocation.now;
    match due(&ready.standing.state, &ready.timing, event.asked_for, now) {
        Due::Nothing => too_soon(ctx, event, &ready, now).await,
        Due::OutsideHours => {
            note(ctx, event, &ready, TickOutcome::OutsideActiveHours, &[], now).await
        }
        Due::Resume(open) => batch::resume(ctx, event, &ready, &open, now).await,
        Due::Retry(open) => batch::retry(ctx, event, &ready, &open, now).await,
        Due::Look => look(ctx, event, ready, invocation).await,
    }
}

/// Nobody looks. The clock stops once listeners have heard of what is parked, and of a failed run that is not tried again
/// meanwhile; until then the sweeper ticks.
async fn paused(
    ctx: &Context,
    event: &TickEvent,
    standing: &MonitorProgress,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let is_parked_unsaid = standing.state.parked.as_ref().is_some_and(|parked| parked.is_unsaid);
    let is_said = notice::given_up(ctx, event, &standing.state, "MONITOR_PAUSED", now).await?;
    if is_said && !is_parked_unsaid {
        ctx.monitors.stop_clock(&event.monitor).await?;
    }
    Ok("paused")
}

/// It ticked a moment ago: the sweeper need not come again before the next tick is overdue.
async fn too_soon(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    if let Some(next) = ready.standing.state.due_again(&ready.timing, now) {
        ctx.monitors.set_clock(&clock(event, next)).await?;
    }
    Ok("nothing")
}

/// Why a monitor cannot look.
struct Unready {
    standing: MonitorProgress,
    why: Why,
}

async fn ready(
    ctx: &Context,
    event: &TickEvent,
    monitor: Stored<MonitorSpec>,
    standing: MonitorProgress,
) -> Result<Result<Ready, Unready>, TickError> {
    let unready = |standing, why: Why| Ok(Err(Unready { standing, why }));
    // Nobody looks with the credentials of somebody who is no longer there.
    let owner = on_behalf(&ctx.directory, &event.owner, monitor.saved());
    let (owner, read) = join(owner, agent_and_playbook(ctx, event, &monitor)).await;
    let invoker = match owner {
        Ok(invoker) => invoker,
        Err(problem) => return unready(standing, Why::of_problem(&start::lasting(problem)?)),
    };
    let (agent, playbook) = read?;
    let Some(agent) = agent.filter(|agent| agent.is_active) else {
        let why = format!("the agent `{}` is gone or switched off", monitor.spec.profile_id);
        return unready(standing, Why::new("PROFILE_UNAVAILABLE", &why));
    };
    let Some(playbook) = playbook else {
        let why = match monitor.spec.playbook(&agent.spec) {
            Some(named) => Why::new("PLAYBOOK_GONE", &format!("the playbook `{named}` is gone")),
            None => {
                Why::cannot_look("it names no playbook, and its agent has none that comes first")
            }
        };
        return unready(standing, why);
    };
    match Timing::of(&monitor.spec, playbook.playbook.monitor_config.as_ref()) {
        Ok(timing) => Ok(Ok(Ready { monitor, agent, playbook, timing, standing, invoker })),
        Err(why) => unready(standing, Why::cannot_look(&why.to_string())),
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
        let state = self.standing.state.failed(&self.why.said, now);
        let clock = clock(event, state.overdue_at(&Timing::unknown(), now));
        late_is_well(ctx.monitors.note(&event.monitor, &state, &[], Some(&clock)).await)?;
        notice::failing(ctx, event, &state, &self.why, now).await;
        tracing::warn!(monitor = %event.monitor, code = self.why.code, "the monitor cannot look");
        Ok(TickOutcome::Failed.as_str())
    }
}

/// Looks, and starts a run when there is something new.
async fn look(
    ctx: &Context,
    event: &TickEvent,
    mut ready: Ready,
    invocation: &Invocation,
) -> Result<&'static str, TickError> {
    let now = invocation.now;
    let looked = match see(ctx, event, &ready, invocation).await? {
        Ok(looked) => looked,
        Err(outcome) => return Ok(outcome),
    };
    ready.standing.state = said::noted(ctx, event, &ready, &looked, now).await?;
    let ready = &ready;
    match looked.is_worth_a_run(ready) {
        true => batch::begin(ctx, event, ready, looked, now).await,
        false if looked.unseen.is_some() => failed_in_part(ctx, event, ready, &looked, now).await,
        false if looked.is_baseline => {
            note(ctx, event, ready, TickOutcome::Baseline, &looked.moved(now), now).await
        }
        false => note(ctx, event, ready, TickOutcome::Suppressed, &looked.moved(now), now).await,
    }
}

/// Notes that a step could not look, and the others found nothing. They begin where they are all the same.
async fn failed_in_part(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    looked: &Looked,
    now: Timestamp,
) -> Result<&'static str, TickError> {
    let Some(why) = &looked.unseen else { return Ok("nothing") };
    let state = ready.standing.state.failed_in_part(&why.said, now);
    note_failed(ctx, event, ready, &state, &looked.moved(now), why, now).await?;
    notice::in_part(ctx, event, &state, why, now).await;
    Ok(TickOutcome::Failed.as_str())
}

/// What the detection steps see; the outcome of the tick when they cannot, which is noted.
async fn see(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    invocation: &Invocation,
) -> Result<Result<Looked, &'static str>, TickError> {
    let now = invocation.now;
    let steps = match detections(&ready.playbook.playbook, &ctx.registry) {
        Ok(steps) => steps,
        Err(why) => {
            let why =
                format!("the playbook `{}` is not a monitor's: {why}", ready.playbook.playbook.id);
            let unready = Unready { standing: ready.standing.clone(), why: Why::cannot_look(&why) };
            return unready.note(ctx, event, now).await.map(Err);
        }
    };
    let looking = Looking { ctx, event, ready, invocation };
    match looking.all(&steps).await {
        Ok(looked) => Ok(Ok(looked)),
        Err(Unseen { why, asked }) => {
            let state = ready.standing.state.failed(&why.said, now);
            note_failed(ctx, event, ready, &state, &asked, &why, now).await?;
            notice::failing(ctx, event, &state, &why, now).await;
            Ok(Err(TickOutcome::Failed.as_str()))
        }
    }
}

/// Notes a look that failed and processes nothing.
async fn note_failed(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    state: &State,
    marks: &[Watermark],
    why: &Why,
    now: Timestamp,
) -> Result<(), TickError> {
    let (state, marks) = state.clone().found_nothing(&ready.standing.marks, marks);
    write(ctx, event, ready, (&state, &marks), now).await?;
    tracing::warn!(monitor = %event.monitor, code = why.code, "a look failed");
    Ok(())
}
