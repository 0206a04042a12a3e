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
    let repeats = match earlier(ctx, &of.batched.batch).await? {
        Ok(repeats) => repeats,
        Err(problem) => return lasting(problem).map(Err),
    };
    // Agent and playbook may have changed since the monitor was saved.
    let mode = match run_mode::of(Some(&of.ready.agent), &of.ready.playbook.playbook, None) {
        Ok(mode) => mode,
        Err(problem) => return lasting(problem).map(Err),
    };
    let (inputs, found) = (of.ready.inputs(), of.found(ctx)?);
    let starting =
        run_start::Starting { repeats: &repeats, found: Some(found), ..of.asked(&inputs, mode) };
    match run_start::start(ctx.starter(), &of.ready.invoker, &starting, Vec::new()).await {
        Ok(_) => Ok(Ok(())),
        Err(problem) => lasting(problem).map(Err),
    }
}

impl Starting<'_> {
    /// The run as the monitor and its batch say.
    fn asked<'s>(
        &'s self,
        inputs: &'s Map<String, Value>,
        mode: ExecutionMode,
    ) -> run_start::Starting<'s> {
        run_start::Starting {
            run: self.batched.batch.run.clone(),
            profile: &self.ready.agent,
            playbook: &self.ready.playbook,
            query: &self.ready.monitor.spec.query_template,
            inputs,
            context: RunContext::Monitor,
            occurrence: self.batched.occurrence.as_ref().map(|occurrence| occurrence.id.clone()),
            source_limit: self.limit(),
            approval_policy: policy(self),
            mode,
            chosen_because: None,
            understood: Vec::new(),
            repeats: &[],
            found: None,
            made: None,
            within: None,
        }
    }

    /// What the run processes, and that it has begun.
    fn found(&self, ctx: &Context) -> Result<run_start::Found<'_>, TickError> {
        let (monitor, batch) = (&self.ready.monitor, &self.batched.batch);
        let from = FromMonitor { monitor: monitor.id.clone(), batch: batch.id.clone() };
        let begun = ctx.monitors.begun(self.batched, self.now)?;
        Ok(run_start::Found { from, outputs: &self.outputs, begun })
    }

    /// How many runs the monitor may start today; none where nothing is said.
    fn limit(&self) -> Option<SourceLimit<'_>> {
        let monitor = &self.ready.monitor;
        let most = monitor.spec.most_per_day?.to();
        let (source, word) = (monitor.id.as_str(), OccurrenceSource::Monitor.as_str());
        Some(SourceLimit { owner: &self.ready.invoker.user, source, word, most })
    }
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
