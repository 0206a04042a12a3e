//! The run of a batch.

use countersign_monitor::{Batch, batch_id, run_id};
use countersign_playbook::ValidPlaybook;
use countersign_profile::Profile;
use countersign_run::{
    ExecutionMode, FromMonitor, GatePolicy, Head, OccurrenceSource, RunContext, RunId, SourceLimit,
};
use countersign_run_start::{self as run_start, repeating, run_mode};
use countersign_store_catalog::Batched;
use countersign_web::Problem;
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::error::TickError;
use crate::ready::Ready;
use crate::{Context, TickEvent};

/// What a run is started with.
pub(crate) struct Starting<'a> {
    pub(crate) ready: &'a Ready,
    pub(crate) batched: &'a Batched,
    /// The outputs of its detection steps.
    pub(crate) outputs: Map<String, Value>,
    pub(crate) now: Timestamp,
}

impl Ready {
    /// The inputs of the playbook: what the monitor gives, else what its agent's skill does.
    pub(crate) fn inputs(&self) -> Map<String, Value> {
        let own = self.agent.spec.skill_for(&self.playbook.playbook.id);
        let mut all = own.map(|skill| skill.parameters.clone()).unwrap_or_default();
        all.extend(self.monitor.spec.inputs.clone());
        all
    }
}

/// The head of a run of this monitor; without a batch, of the look that comes before it.
pub(crate) fn head(
    event: &TickEvent,
    ready: &Ready,
    batch: Option<&Batch>,
    now: Timestamp,
) -> Head {
    let monitor = &ready.monitor;
    let next = || run_id(&batch_id(&monitor.id, ready.standing.state.batches + 1, now), 1);
    let mode = mode(&ready.agent, &ready.playbook.playbook);
    let from = |batch: &Batch| FromMonitor { monitor: monitor.id.clone(), batch: batch.id.clone() };
    let run = batch.map_or_else(next, |batch| batch.run.clone());
    Head {
        profile_id: ready.agent.id.to_string(),
        profile_name: ready.agent.spec.name.to_string(),
        agent_handle: ready.agent.spec.handle.to_string(),
        playbook_id: Some(ready.playbook.playbook.id.clone()),
        playbook_name: Some(ready.playbook.playbook.name.clone()),
        query: monitor.spec.query_template.to_string(),
        strategy: Some(mode.strategy()),
        execution_mode: mode,
        approval_policy: monitor.spec.approval_policy.into(),
        from_monitor: batch.map(from),
        ..Head::asked(run, event.owner.clone(), RunContext::Monitor, now)
    }
}

/// As the playbook says, else the agent.
fn mode(agent: &Profile, playbook: &ValidPlaybook) -> ExecutionMode {
    playbook.execution_mode.unwrap_or(agent.spec.default_execution_mode)
}

/// Starts the run of a batch; why not, when it cannot be started as things are. Doing it again does nothing more: the run's id
/// follows from the batch, and says with the same write that it has begun.
///
/// The run has the rights its owner has now, and at most those the monitor was saved with; each of its steps looks at them again.
pub(crate) async fn run(
    ctx: &Context,
    of: &Starting<'_>,
) -> Result<Result<(), Problem>, TickError> {
    let (monitor, batch) = (&of.ready.monitor, &of.batched.batch);
    if let Some(problem) = used_up(ctx, of).await? {
        return Ok(Err(problem));
    }
    let repeats = match earlier(ctx, batch).await? {
        Ok(repeats) => repeats,
        Err(problem) => return lasting(problem).map(Err),
    };
    // Agent and playbook may have changed since the monitor was saved.
    let mode = match run_mode::of(Some(&of.ready.agent), &of.ready.playbook.playbook, None) {
        Ok(mode) => mode,
        Err(problem) => return lasting(problem).map(Err),
    };
    let from = FromMonitor { monitor: monitor.id.clone(), batch: batch.id.clone() };
    let inputs = of.ready.inputs();
    let begun = ctx.monitors.begun(of.batched, of.now)?;
    let starting = run_start::Starting {
        run: batch.run.clone(),
        profile: &of.ready.agent,
        playbook: &of.ready.playbook,
        query: &monitor.spec.query_template,
        inputs: &inputs,
        context: RunContext::Monitor,
        occurrence: of.batched.occurrence.as_ref().map(|occurrence| occurrence.id.clone()),
        approval_policy: policy(of),
        mode,
        chosen_because: None,
        understood: Vec::new(),
        repeats: &repeats,
        found: Some(run_start::Found { from, outputs: &of.outputs, begun }),
        made: None,
        within: None,
    };
    let starter = ctx.starter();
    match run_start::start(starter, &of.ready.invoker, &starting, Vec::new()).await {
        Ok(_) => Ok(Ok(())),
        Err(problem) => lasting(problem).map(Err),
    }
}

/// Counts the run in what the monitor may start today; why it may not, when that is used up.
async fn used_up(ctx: &Context, of: &Starting<'_>) -> Result<Option<Problem>, TickError> {
    let (monitor, batch) = (&of.ready.monitor, &of.batched.batch);
    let Some(most) = monitor.spec.most_per_day else { return Ok(None) };
    let limit = SourceLimit {
        owner: &of.ready.invoker.user,
        source: monitor.id.as_str(),
        word: OccurrenceSource::Monitor.as_str(),
        most: most.to(),
    };
    let fits = ctx.runs.count_of_source(limit, &batch.run, of.now).await?;
    Ok((!fits).then(|| Problem::of(&limit.exceeded(of.now))))
}

/// Gates open by themselves only where nobody is there to ask: not in what came of a look that a person asked for, nor in what was
/// parked and a person asked for again.
fn policy(of: &Starting<'_>) -> GatePolicy {
    let is_asked_for = of.batched.occurrence.as_ref().is_some_and(|one| one.asked_by.is_some());
    if is_asked_for || of.batched.batch.reopened_at.is_some() {
        GatePolicy::Require
    } else {
        of.ready.monitor.spec.approval_policy.into()
    }
}

/// The earlier runs of the batch: what they have sent is not sent again.
async fn earlier(ctx: &Context, batch: &Batch) -> Result<Result<Vec<RunId>, Problem>, TickError> {
    if batch.attempt < 2 {
        return Ok(Ok(Vec::new()));
    }
    let before = ctx.runs.head(&run_id(&batch.id, batch.attempt - 1)).await?;
    Ok(before.map_or_else(|| Ok(Vec::new()), |before| repeating::chain(&before, &batch.run)))
}

/// Why nothing is started; an error when that may pass by itself.
pub(crate) fn lasting(problem: Problem) -> Result<Problem, TickError> {
    if problem.status >= 500 {
        return Err(TickError::Start(problem.code.clone()));
    }
    Ok(problem)
}
