//! `write_journal_entry` and `query_journal` as a Lambda.

use std::sync::Arc;

use countersign_actions_journal::{RunOutcomes, StepResult, TELLING, actions};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_profile::JournalConfig;
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_run::RunId;
use countersign_step_entry::Context;
use countersign_store_catalog::Catalog;
use countersign_store_runs::{JournalStore, RunStore, StepOutcome};
use serde_json::Value;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let runs = boot.table(Setting::TableRuns)?;
    let journal = JournalStore::new(runs.clone());
    let engine = Engine {
        runs: RunStore::new(runs, boot.blobs()?),
        catalog: Catalog::new(boot.table(Setting::TableCatalog)?),
    };
    Context::new(boot, actions(Arc::new(journal), Arc::new(engine)))
}

/// What the engine knows of runs and profiles.
struct Engine {
    runs: RunStore,
    catalog: Catalog,
}

impl Engine {
    /// What came of every step, with the outputs that an entry is made of, also those in the data bucket. Other steps have none
    /// here: what a source answered may have the same names.
    async fn telling(&self, run: &RunId) -> countersign_store_runs::Result<Vec<StepOutcome>> {
        let mut outcomes = self.runs.all_outcomes(run).await?;
        let Some((plan, _)) = self.runs.plan(run).await? else { return Ok(outcomes) };
        let is_telling = |outcome: &StepOutcome| {
            let step = plan.step(&outcome.step);
            step.is_some_and(|step| TELLING.contains(&step.action.as_str()))
        };
        for outcome in &mut outcomes {
            if !is_telling(outcome) {
                outcome.output = Value::Null;
            } else if outcome.output.is_null()
                && let Some(whole) = self.runs.outcome(run, &outcome.step).await?
            {
                *outcome = whole;
            }
        }
        Ok(outcomes)
    }
}

impl RunOutcomes for Engine {
    fn outcomes<'a>(&'a self, run: &'a str) -> ActionFuture<'a, Vec<StepResult>> {
        Box::pin(async move {
            let run = RunId::parse(run)
                .map_err(|error| ActionError::terminal("RUN_UNKNOWN", error.to_string()))?;
            let found = self.telling(&run).await;
            let mut outcomes = found.map_err(|error| ActionError::from_failure(&error))?;
            outcomes.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.step.cmp(&b.step)));
            let told = |outcome: StepOutcome| StepResult {
                step: outcome.step,
                status: outcome.status,
                output: outcome.output,
                code: outcome.code,
            };
            Ok(outcomes.into_iter().map(told).collect())
        })
    }

    fn retention_days<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, u16> {
        Box::pin(async move {
            let usual = JournalConfig::default().retention_days;
            let found = self.catalog.profile_named(&call.owner, &call.info.profile_id).await;
            let found = found.map_err(|error| ActionError::from_failure(&error))?;
            Ok(found.map_or(usual, |profile| profile.spec.journal_config.retention_days))
        })
    }
}
