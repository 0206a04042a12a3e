//! What the engine knows of the run that writes an entry.

use countersign_registry::action::ActionFuture;
use countersign_run::StepStatus;
use serde_json::Value;

/// What came of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// The step.
    pub step: String,
    /// How it ended.
    pub status: StepStatus,
    /// Its output; null when there is none.
    pub output: Value,
    /// The stable code of its error.
    pub code: Option<String>,
}

/// Reading the outcomes of a run: they fill what a writer of an entry does not say (F-065).
pub trait RunOutcomes: Send + Sync {
    /// The finished steps of a run, in the order they ended.
    fn outcomes<'a>(&'a self, run: &'a str) -> ActionFuture<'a, Vec<StepResult>>;

    /// How long the profile keeps entries (F-225), in days.
    fn retention_days<'a>(
        &'a self,
        call: &'a countersign_registry::action::Call,
    ) -> ActionFuture<'a, u16>;
}
