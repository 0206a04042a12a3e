//! How many tokens a run, and a person in a day, may use, and what they may cost; and the record of each turn.

use std::fmt;

use countersign_model_list::{Cost, Terms};
use countersign_registry::action::Call;
use countersign_run::{ModelCall, ModelCallEnd, ModelCallStatus, RunId};
use countersign_store_kit::StoreError;
use countersign_store_runs::{Reserved, RunStore, Spend, SpendLimit, SpendLimits, SpendOf};
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

    /// Counts what the turn used instead of what was reserved, notes how it ended, and removes what was shown of its answer. Where the
    /// call says so, this is left to whoever writes what came of the step.
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
            // The end of the turn before, which is followed by this one.
            if let Some(end) = call.asking.end.as_ref().and_then(|left| left.take()) {
                self.runs.end_turn_apart(&run, &end).await;
            }
            let (of, limits) = (of(call, &run), self.limits.with(terms));
            let begun = self.runs.begin_model_call(limits, of, Spend::of(turn), turn).await;
            self.granted(of, (turn, terms), begun.map_err(LlmError::Budget)?).await
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
            let (reserved, ended) = (reserved.clone(), ended.clone());
            let (who, at) = (call.info.invoked_by.clone(), call.now);
            let end = ModelCallEnd { reserved, ended, who, at, is_shown };
            // A turn that failed may be followed by a pause: what was shown of it is taken away at once.
            match (&call.asking.end, run_of(call)) {
                (Some(left), _) if end.ended.status == ModelCallStatus::Answered => left.put(end),
                (_, Ok(run)) => self.runs.end_turn_apart(&run, &end).await,
                (_, Err(_)) => {}
            }
        })
    }
}

impl StoredBudget {
    /// The answer to a request for a turn.
    async fn granted(
        &self,
        of: SpendOf<'_>,
        (turn, terms): (&ModelCall, &Terms),
        reserved: Reserved,
    ) -> Result<(), LlmError> {
        let is_of_run = match reserved {
            Reserved::Yes => return Ok(()),
            Reserved::RunSpent => true,
            Reserved::DayExceeded(_) => false,
        };
        let limits = match is_of_run {
            true => Limits { tokens: self.limits.per_run, cost: terms.per_run.as_ref() },
            false => Limits { tokens: self.limits.per_day, cost: terms.per_day.as_ref() },
        };
        // The call is refused in any case; without an answer of the table only what is spent is not said.
        let spent = self.runs.spent(of).await.ok();
        let spent = spent.map(|spent| if is_of_run { spent.by_run } else { spent.in_day });
        let (limit, figures) = (limits.to_string(), limits.figures(spent, Spend::of(turn)));
        Err(match reserved {
            Reserved::DayExceeded(exceeded) => {
                LlmError::DayBudget { limit, figures, anew: exceeded.anew }
            }
            Reserved::Yes | Reserved::RunSpent => LlmError::RunBudget { limit, figures },
        })
    }
}

/// Limits of tokens, of money, or of both.
#[derive(Clone, Copy)]
struct Limits<'a> {
    /// 0 is any number.
    tokens: u64,
    cost: Option<&'a Cost>,
}

impl Limits<'_> {
    /// Of what is limited: how much is spent, and how much a call could use.
    fn figures(self, spent: Option<Spend>, most: Spend) -> String {
        let most = format!("it may use up to {}", self.said(most));
        match spent {
            Some(spent) => format!("{} of it are spent, and {most}", self.said(spent)),
            None => most,
        }
    }

    /// So much of what is limited.
    fn said(self, amount: Spend) -> String {
        let cost = self.cost.map(|limit| Cost { millionths: amount.cost, ..limit.clone() });
        let tokens =
            (self.tokens > 0 || cost.is_none()).then(|| format!("{} tokens", amount.tokens));
        let parts: Vec<String> =
            tokens.into_iter().chain(cost.map(|cost| cost.to_string())).collect();
        parts.join(" and ")
    }
}

impl fmt::Display for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cost = self.cost.map_or(0, |cost| cost.millionths);
        f.write_str(&self.said(Spend { tokens: self.tokens, cost }))
    }
}

fn run_of(call: &Call) -> Result<RunId, StoreError> {
    RunId::parse(&call.run).map_err(|error| StoreError::Encode(error.to_string()))
}

fn of<'a>(call: &'a Call, run: &'a RunId) -> SpendOf<'a> {
    SpendOf { run, who: &call.info.invoked_by, at: call.now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tokens: u64, cost: Option<u64>, spent: Option<Spend>, expect: [&str; 2]) {
        let cost = cost.map(|millionths| Cost {
            millionths,
            currency: serde_json::from_value("USD".into()).unwrap(),
        });
        let limits = Limits { tokens, cost: cost.as_ref() };
        let most = Spend { tokens: 9_000, cost: 2_000 };
        assert_eq!([limits.to_string(), limits.figures(spent, most)], expect);
    }

    #[test]
    fn a_budget_that_is_spent_is_told_with_its_figures() {
        let spent = Some(Spend { tokens: 195_000, cost: 400 });
        check(
            200_000,
            None,
            spent,
            ["200000 tokens", "195000 tokens of it are spent, and it may use up to 9000 tokens"],
        );
        check(
            200_000,
            Some(1_000),
            spent,
            [
                "200000 tokens and 0.001 USD",
                "195000 tokens and 0.0004 USD of it are spent, and it may use up to 9000 tokens and 0.002 USD",
            ],
        );
        check(0, Some(1_000), None, ["0.001 USD", "it may use up to 0.002 USD"]);
    }
}
