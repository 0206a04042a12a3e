//! How many tokens a run, and a person in a day, may use, and what they may cost; and the record of each turn.

use countersign_model_list::{Cost, Terms};
use countersign_registry::action::Call;
use countersign_run::{ModelCall, Quota, RunId};
use countersign_store_kit::StoreError;
use countersign_store_runs::{
    EndedCall, Reserved, RunStore, Spend, SpendLimit, SpendLimits, SpendOf,
};
use futures::future::BoxFuture;

use crate::error::LlmError;

/// Where tokens and costs are counted, and turns recorded.
pub trait ModelBudget: Send + Sync {
    /// Takes the most that a turn can use and notes that it begins, or says that there is not so much.
    fn reserve<'a>(
        &'a self,
        call: &'a Call,
        turn: &'a ModelCall,
        terms: &'a Terms,
    ) -> BoxFuture<'a, Result<(), LlmError>>;

    /// Counts what the turn used instead of what was reserved, notes how it ended, and removes what was shown of its answer.
    fn settle<'a>(
        &'a self,
        call: &'a Call,
        reserved: &'a ModelCall,
        ended: &'a ModelCall,
        is_shown: bool,
    ) -> BoxFuture<'a, ()>;
}

/// Tokens that the deployment allows; 0 is any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenLimits {
    /// For one run.
    pub per_run: u64,
    /// For one person and day.
    pub per_day: u64,
}

impl TokenLimits {
    fn with(self, terms: &Terms) -> SpendLimits {
        let limit = |tokens: u64, cost: Option<&Cost>| SpendLimit {
            tokens: (tokens > 0).then_some(tokens),
            cost: cost.map(|cost| cost.millionths),
        };
        SpendLimits {
            per_run: limit(self.per_run, terms.per_run.as_ref()),
            per_day: limit(self.per_day, terms.per_day.as_ref()),
        }
    }
}

/// The budgets of the deployment, counted with the runs.
pub struct StoredBudget {
    /// Where they are counted.
    pub runs: RunStore,
    /// How many tokens there are.
    pub limits: TokenLimits,
}

impl ModelBudget for StoredBudget {
    fn reserve<'a>(
        &'a self,
        call: &'a Call,
        turn: &'a ModelCall,
        terms: &'a Terms,
    ) -> BoxFuture<'a, Result<(), LlmError>> {
        Box::pin(async move {
            let run = run_of(call).map_err(LlmError::Budget)?;
            let (of, limits) = (of(call, &run), self.limits.with(terms));
            let begun = self.runs.begin_model_call(limits, of, spend(turn), turn).await;
            self.granted(call, terms, begun.map_err(LlmError::Budget)?)
        })
    }

    fn settle<'a>(
        &'a self,
        call: &'a Call,
        reserved: &'a ModelCall,
        ended: &'a ModelCall,
        is_shown: bool,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Ok(run) = run_of(call) else { return };
            let end = EndedCall {
                of: of(call, &run),
                reserved: spend(reserved),
                used: spend(ended),
                call: ended,
                is_shown,
            };
            if let Err(error) = self.runs.end_model_call(end).await {
                tracing::warn!(%run, step = call.step, %error, "how a turn ended is not recorded");
            }
        })
    }
}

impl StoredBudget {
    /// The answer to a request for a turn.
    fn granted(&self, call: &Call, terms: &Terms, reserved: Reserved) -> Result<(), LlmError> {
        match reserved {
            Reserved::Yes => Ok(()),
            Reserved::RunSpent => {
                let limit = shown(self.limits.per_run, terms.per_run.as_ref());
                Err(LlmError::RunBudget { limit })
            }
            Reserved::DayExceeded(exceeded) => Err(match &terms.per_day {
                None => LlmError::DayBudget(exceeded),
                cost => LlmError::DayCost {
                    limit: shown(self.limits.per_day, cost.as_ref()),
                    anew: Quota::tokens(0).exceeded(call.now).anew,
                },
            }),
        }
    }
}

/// What is counted of a turn.
fn spend(turn: &ModelCall) -> Spend {
    let cost = turn.counted_cost.as_ref().map_or(0, |cost| cost.millionths);
    Spend { tokens: turn.counted_tokens, cost }
}

/// A limit of tokens, of money, or of both.
fn shown(tokens: u64, cost: Option<&Cost>) -> String {
    match (tokens, cost) {
        (0, Some(cost)) => cost.to_string(),
        (tokens, None) => format!("{tokens} tokens"),
        (tokens, Some(cost)) => format!("{tokens} tokens and {cost}"),
    }
}

fn run_of(call: &Call) -> Result<RunId, StoreError> {
    RunId::parse(&call.run).map_err(|error| StoreError::Encode(error.to_string()))
}

fn of<'a>(call: &'a Call, run: &'a RunId) -> SpendOf<'a> {
    SpendOf { run, who: &call.info.invoked_by, at: call.now }
}
