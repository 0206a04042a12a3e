//! Opens the gate of a step, or takes up the one that is open.
//!
//! Called with a task token. What goes wrong here is reported through the token, never by failing: the machine waits for
//! the token, and a failed invocation would leave it waiting.

mod changed;
mod describing;
mod error;
mod members;
mod opening;
mod revise;
mod signers;
mod unknown;
mod waiting;

use std::sync::Arc;

use countersign_actions_files::FileEffects;
use countersign_approval::Kind;
use countersign_connector::ConnectorEffects;
use countersign_failure::{Failure, chain};
use countersign_gatekeeper::{Bootstrap, Gatekeeper, Opened, Recorder};
use countersign_lambda_entry::{Boot, Fault, Invocation, Setting, StartError, decode};
use countersign_run::GateOutcome;
use countersign_states::Tasks;
use countersign_step_entry::{Asked, GateAsk, StepEvent, gate_ask, gate_failed};
use countersign_store_approvals::{Approvals, TaskToken};
use countersign_store_catalog::Catalog;
use countersign_store_content::ContentStore;
use countersign_store_directory::Directory;
use countersign_store_runs::JournalStore;
use countersign_store_tokens::Tokens;
use serde::Deserialize;
use serde_json::{Value, json};

use describing::Describing;
pub use error::OpenGateError;

/// What is kept back of the invocation's time to answer the token.
const RESERVE: std::time::Duration = std::time::Duration::from_secs(5);

/// What the state machine sends. It has no `Debug`: a task token is never printed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateEvent {
    run: countersign_run::RunId,
    step: String,
    attempt: u32,
    seal: String,
    token: String,
    /// Which retry of its state this is; nothing of an execution that began before an update of the machine.
    #[serde(default)]
    retry: u32,
}

/// Everything a gate is opened with.
pub struct Context {
    steps: countersign_step_entry::Context,
    gatekeeper: Gatekeeper,
    directory: Directory,
    catalog: Catalog,
    approvals: Approvals,
    recorder: Recorder,
    journal: JournalStore,
    tasks: Arc<Tasks>,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let tokens = Tokens::new(boot.table(Setting::TableTokens)?);
        let Bootstrap { gatekeeper, directory, approvals, recorder, .. } =
            Bootstrap::waking(boot, Arc::new(tokens))?;
        let catalog = Catalog::new(boot.table(Setting::TableCatalog)?);
        let content = boot.table(Setting::TableContent)?;
        let describer = Describing {
            connectors: ConnectorEffects(Arc::new(catalog.clone())),
            files: FileEffects(Arc::new(ContentStore::new(content, boot.blobs()?))),
        };
        let steps = countersign_step_entry::Context::new(boot, Vec::new())?;
        Ok(Self {
            steps: steps.with_describer(Arc::new(describer)),
            catalog,
            approvals,
            recorder,
            journal: JournalStore::new(boot.table(Setting::TableRuns)?),
            gatekeeper,
            directory,
            tasks: Arc::new(Tasks::new(&boot.aws)),
        })
    }
}

/// Opens the gate.
///
/// # Errors
/// A [`Fault`] only when the event cannot be read or the token cannot be answered: the machine then times out and asks
/// again.
pub async fn handle(
    context: &Context,
    event: Value,
    invocation: &Invocation,
) -> Result<Value, Fault> {
    let GateEvent { run, step, attempt, seal, token, retry } = decode(event)?;
    let token = TaskToken::new(token).of_attempt(attempt, retry);
    let event = StepEvent::new(run, step, attempt, seal);
    // What takes too long is reported before Lambda ends this invocation: then nobody would answer the token.
    let time = invocation.remaining.saturating_sub(RESERVE);
    let asked = tokio::time::timeout(time, ask(context, &event, &token, invocation)).await;
    match asked.unwrap_or(Err(OpenGateError::TooSlow)) {
        Ok(Some(verdict)) => {
            context.tasks.succeed(token.expose(), &json!({ "decision": verdict })).await?;
        }
        Ok(None) => {}
        Err(error) => {
            tracing::error!(run = %event.run, step = event.step, code = error.code(), error = chain(&error), "the gate was not opened");
            context.tasks.fail(token.expose(), error.asl_name(), error.code()).await?;
        }
    }
    Ok(json!({ "opened": true }))
}

/// A verdict means that nobody has to be asked; none that people have been, or that the gatekeeper has answered the token.
async fn ask(
    context: &Context,
    event: &StepEvent,
    token: &TaskToken,
    invocation: &Invocation,
) -> Result<Option<GateOutcome>, OpenGateError> {
    match gate_ask(&context.steps, event, invocation).await? {
        Asked::Settled(verdict) => Ok(Some(verdict)),
        Asked::Ask(asked) => open(context, event, &asked, token, invocation).await,
    }
}

async fn open(
    context: &Context,
    event: &StepEvent,
    asked: &GateAsk,
    token: &TaskToken,
    invocation: &Invocation,
) -> Result<Option<GateOutcome>, OpenGateError> {
    match try_open(context, asked, token, invocation).await {
        Ok(()) => Ok(None),
        // A gate that nobody could ever open must not wait: the run ends and says why.
        Err(error) if error.http_status() == 422 => {
            gate_failed(&context.steps, event, &asked.step, &error, invocation).await?;
            Ok(Some(GateOutcome::Closed))
        }
        Err(error) => Err(error),
    }
}

async fn try_open(
    context: &Context,
    asked: &GateAsk,
    token: &TaskToken,
    invocation: &Invocation,
) -> Result<(), OpenGateError> {
    let opening = match asked.subject.kind {
        Kind::Outcome => unknown::opening(context, asked, invocation.now).await?,
        _ => opening::opening(context, asked, invocation.now).await?,
    };
    if let Opened::Pending { id, .. } =
        context.gatekeeper.open(opening, token, invocation.now).await?
    {
        waiting::note(context, asked, &id).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_event_is_one_of_ours() {
        let sample = include_str!("../../../events/gate-open/gate.json");
        let event: GateEvent = serde_json::from_str(sample).unwrap();
        assert_eq!((event.step.as_str(), event.attempt), ("sign_off", 1));
    }
}
