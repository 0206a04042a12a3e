//! What the models of a run, and of a person today, have used: tokens, and what they cost.
//!
//! Before a model is asked, what it is expected to use at most is taken out of both; afterwards the difference is counted. Both
//! change in the transaction that records the turn, so however many steps ask at once, none begins for which there is not so
//! much room; one that is killed in between has used all that was taken.

use countersign_identity::UserId;
use countersign_run::{ModelCall, Quota, QuotaExceeded, RunId};
use countersign_store_kit::{Expr, Key, Write};
use jiff::Timestamp;

use crate::quotas::{KEPT, of_day};
use crate::{Result, keys};

/// What models use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// Tokens that are read and written.
    pub tokens: u64,
    /// What they cost, in millionths of the deployment's currency.
    pub cost: u64,
}

impl Spend {
    /// What is counted of a turn.
    #[must_use]
    pub fn of(turn: &ModelCall) -> Self {
        let cost = turn.counted_cost.as_ref().map_or(0, |cost| cost.millionths);
        Self { tokens: turn.counted_tokens, cost }
    }
}

/// The most that may be used; none is any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendLimit {
    /// Tokens.
    pub tokens: Option<u64>,
    /// What they cost, in millionths of the deployment's currency. 0 allows only what costs nothing.
    pub cost: Option<u64>,
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendLimits {
    /// For one run.
    pub per_run: SpendLimit,
    /// For one person and day.
    pub per_day: SpendLimit,
}

/// For what it is used.
#[derive(Debug, Clone, Copy)]
pub struct SpendOf<'a> {
    /// The run.
    pub run: &'a RunId,
    /// Whose it is.
    pub who: &'a UserId,
    /// When the model was asked: the day that counts.
    pub at: Timestamp,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Of the run.
    pub by_run: Spend,
    /// Of its person's day.
    pub in_day: Spend,
}

/// Whether there is as much as is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// There is, and it is taken.
    Yes,
    /// The run has not so much left.
    RunSpent,
    /// The person has not so much left today.
    DayExceeded(QuotaExceeded),
}

impl SpendLimits {
    /// The answer to whoever finds too little left of the day.
    pub(crate) fn day_exceeded(self, at: Timestamp) -> Reserved {
        let tokens = self.per_day.tokens.unwrap_or_default();
        Reserved::DayExceeded(Quota::tokens(tokens).exceeded(at))
    }
}

/// By how much a count changes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Change {
    tokens: i64,
    cost: i64,
}

impl Change {
    /// What makes one amount another one.
    pub(crate) fn between(before: Spend, after: Spend) -> Self {
        Self {
            tokens: signed(after.tokens) - signed(before.tokens),
            cost: signed(after.cost) - signed(before.cost),
        }
    }
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// What changes the count of the run.
pub(crate) fn run_count(of: SpendOf<'_>, by: Change) -> Result<Write> {
    Write::update(&keys::tokens(of.run)).add("used", &by.tokens)?.add("cost", &by.cost)
}

/// What changes the count of the person's day.
pub(crate) fn day_count(of: SpendOf<'_>, by: Change) -> Result<Write> {
    let count = Write::update(&day_key(of)).add("used", &by.tokens)?.add("cost", &by.cost)?;
    count.set("expires_at", &(of.at.as_second() + KEPT))
}

/// Where the count of the person's day is.
pub(crate) fn day_key(of: SpendOf<'_>) -> Key {
    of_day(of.who, Quota::tokens(0), of.at)
}

/// A count that changes only if there is room for the amount; none when the amount alone is more than the limit.
pub(crate) fn within(mut count: Write, limit: SpendLimit, amount: Spend) -> Result<Option<Write>> {
    let parts = [("used", limit.tokens, amount.tokens), ("cost", limit.cost, amount.cost)];
    for (of, limit, amount) in parts {
        let Some(limit) = limit else { continue };
        let Some(room) = limit.checked_sub(amount) else { return Ok(None) };
        let fits = Expr::new(&format!("attribute_not_exists(#{of}) OR #{of} <= :{of}_room"));
        count = count.when(fits.bind(&format!("{of}_room"), &room)?);
    }
    Ok(Some(count))
}
