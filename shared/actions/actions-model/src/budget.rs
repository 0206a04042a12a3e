//! How many tokens a run, and a person in a day, may use.

use countersign_registry::action::Call;
use countersign_run::RunId;
use countersign_store_kit::StoreError;
use countersign_store_runs::{Reserved, RunStore, TokenLimits, TokenUse};
use futures::future::BoxFuture;

use crate::error::LlmError;

/// Where tokens are counted.
pub trait TokenBudget: Send + Sync {
    /// Takes the most that a turn can use, or says that there are not so many.
    fn reserve<'a>(&'a self, call: &'a Call, tokens: u64) -> BoxFuture<'a, Result<(), LlmError>>;

    /// Counts what the turn used instead.
    fn settle<'a>(&'a self, call: &'a Call, reserved: u64, used: u64) -> BoxFuture<'a, ()>;
}

/// The budgets of the deployment, counted with the runs.
pub struct StoredBudget {
    /// Where they are counted.
    pub runs: RunStore,
    /// How many there are.
    pub limits: TokenLimits,
}

impl TokenBudget for StoredBudget {
    fn reserve<'a>(&'a self, call: &'a Call, tokens: u64) -> BoxFuture<'a, Result<(), LlmError>> {
        Box::pin(async move {
            let run = run_of(call).map_err(LlmError::Budget)?;
            let reserved = self.runs.reserve_tokens(self.limits, of(call, &run), tokens).await;
            match reserved.map_err(LlmError::Budget)? {
                Reserved::Yes => Ok(()),
                Reserved::RunSpent => Err(LlmError::RunBudget { limit: self.limits.per_run }),
                Reserved::DayExceeded(exceeded) => Err(LlmError::DayBudget(exceeded)),
            }
        })
    }

    fn settle<'a>(&'a self, call: &'a Call, reserved: u64, used: u64) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Ok(run) = run_of(call) else { return };
            // What was reserved stays counted: too much, never too little.
            if let Err(error) = self.runs.settle_tokens(of(call, &run), reserved, used).await {
                tracing::warn!(%run, step = call.step, %error, "tokens stay reserved");
            }
        })
    }
}

fn run_of(call: &Call) -> Result<RunId, StoreError> {
    RunId::parse(&call.run).map_err(|error| StoreError::Encode(error.to_string()))
}

fn of<'a>(call: &'a Call, run: &'a RunId) -> TokenUse<'a> {
    TokenUse { run, who: &call.info.invoked_by, at: call.now }
}
