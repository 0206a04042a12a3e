//! Plans a run, seals the plan, and answers with its stages.
//!
//! A run is planned once: every later attempt finds the stored plan, checks its seal and goes on with it. A run that is to
//! end answers with no stages, so that the machine goes straight to its finish.

mod error;
mod planning;

use countersign_failure::Failure as _;
use countersign_lambda_entry::{Boot, Fault, Invocation, Setting, StartError, decode};
use countersign_plan::{Descriptor, Plan, chained, check_seal, descriptors};
use countersign_registry::Registry;
use countersign_run::{Head, RunId, Stop, StopReason};
use countersign_store_catalog::Catalog;
use countersign_store_runs::RunStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use error::BeginError;

/// What the state machine sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginEvent {
    /// The run.
    pub run: RunId,
    /// The execution: 1, 2, …
    pub attempt: u32,
}

/// Stores and contracts.
pub struct Context {
    runs: RunStore,
    catalog: Catalog,
    registry: Registry,
    tenant: String,
    /// Completes a function's folder to its name.
    prefix: String,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self {
            runs: RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?),
            catalog: Catalog::new(boot.table(Setting::TableCatalog)?),
            registry: Registry::builtin(),
            tenant: boot.settings.need(Setting::Tenant)?.to_owned(),
            prefix: format!("{}-", boot.settings.need(Setting::Stack)?),
        })
    }
}

/// Begins an execution.
///
/// # Errors
/// A [`Fault`] when a table does not answer or the stored plan is not the sealed one. What the author of the run can
/// mend — a playbook that no longer compiles, a profile that is gone — is not a fault: it ends the run with its reason.
pub async fn handle(
    context: &Context,
    event: Value,
    invocation: &Invocation,
) -> Result<Value, Fault> {
    let event: BeginEvent = decode(event)?;
    Ok(json!(begin(context, &event, invocation).await?))
}

/// What the state machine is told.
#[derive(Debug, Default, Serialize)]
struct Stages {
    /// The stages of the plan; none for a run that is to end.
    stages: Vec<Vec<Descriptor>>,
    /// The same where steps of one function that follow each other are handed over together, if there are any. An execution that
    /// began before this was known goes by `stages`.
    #[serde(skip_serializing_if = "Option::is_none")]
    chained: Option<Vec<Vec<Descriptor>>>,
}

/// The machine carries 256 KB from state to state.
const MAX_STAGES: usize = 200_000;

impl Stages {
    fn of(context: &Context, plan: &Plan, stages: Vec<Vec<Descriptor>>) -> Self {
        // A model takes longer than being invoked, and its steps are paid for: each has all tries to itself.
        let follows =
            |action: &str| context.registry.get(action).is_some_and(|contract| !contract.uses_llm);
        let both = Self { chained: chained(plan, &stages, follows), stages };
        match json!(both).to_string().len() {
            0..=MAX_STAGES => both,
            _ => Self { chained: None, ..both },
        }
    }
}

async fn begin(
    context: &Context,
    event: &BeginEvent,
    invocation: &Invocation,
) -> Result<Stages, BeginError> {
    let head = context
        .runs
        .head(&event.run)
        .await?
        .ok_or_else(|| BeginError::UnknownRun(event.run.clone()))?;
    if head.stop.is_some() || head.finished_at.is_some() {
        return Ok(Stages::default());
    }
    let Some((plan, seal)) = sealed(context, &head, invocation).await? else {
        return Ok(Stages::default());
    };
    let stages = descriptors(&plan, &seal, &context.prefix)?;
    Ok(Stages::of(context, &plan, stages))
}

/// The plan of the run with its seal; none when the run cannot be planned and has been stopped for it.
async fn sealed(
    context: &Context,
    head: &Head,
    invocation: &Invocation,
) -> Result<Option<(Plan, String)>, BeginError> {
    if let Some((plan, seal)) = context.runs.plan(&head.run).await? {
        check_seal(&plan, &seal)?;
        return Ok(Some((plan, seal)));
    }
    let plan = match planning::plan(context, head).await {
        Ok(plan) => plan,
        Err(error) if error.ends_the_run() => {
            stop(context, head, &error, invocation).await?;
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let seal = countersign_plan::seal(&plan)?;
    Ok(Some(context.runs.seal(&plan, &seal, invocation.now).await?))
}

async fn stop(
    context: &Context,
    head: &Head,
    error: &BeginError,
    invocation: &Invocation,
) -> Result<(), BeginError> {
    let message = countersign_failure::chain(error);
    tracing::info!(run = %head.run, message, "the run cannot be planned");
    let stop = Stop {
        reason: StopReason::Broken,
        step: None,
        by: None,
        code: Some(error.code().to_owned()),
        message,
        at: invocation.now,
    };
    context.runs.stop(&head.run, &stop, head.attempt).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_event_is_one_of_ours() {
        let sample = include_str!("../../../events/run-begin/first-attempt.json");
        let event: BeginEvent = serde_json::from_str(sample).unwrap();
        assert_eq!(event.attempt, 1);
    }
}
