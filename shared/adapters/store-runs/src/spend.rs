//! What the models of a run, and of a person today, have used: tokens, and what they cost.
//!
//! Before a model is asked, what it is expected to use at most is taken out of both; afterwards the difference is counted. Each
//! count is one conditional update, so however many steps ask at once, none begins for which there is not so much room; one that
//! is killed in between has used all that was taken.

use countersign_identity::UserId;
use countersign_run::{Quota, QuotaExceeded, RunId};
use countersign_store_kit::{Expr, Write};
use jiff::Timestamp;

use crate::quotas::{KEPT, of_day};
use crate::{Result, RunStore, keys};

/// What models use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// Tokens that are read and written.
    pub tokens: u64,
    /// What they cost, in millionths of the deployment's currency.
    pub cost: u64,
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

impl RunStore {
    /// Takes an amount out of both budgets, or gives back what it took.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn reserve_spend(
        &self,
        limits: SpendLimits,
        of: SpendOf<'_>,
        amount: Spend,
    ) -> Result<Reserved> {
        let taken = Change { tokens: signed(amount.tokens), cost: signed(amount.cost) };
        if !self.take(run_count(of, taken)?, limits.per_run, amount).await? {
            return Ok(Reserved::RunSpent);
        }
        if self.take(day_count(of, taken)?, limits.per_day, amount).await? {
            return Ok(Reserved::Yes);
        }
        let back = Change { tokens: -taken.tokens, cost: -taken.cost };
        self.table.write(run_count(of, back)?).await?;
        let tokens = limits.per_day.tokens.unwrap_or_default();
        Ok(Reserved::DayExceeded(Quota::tokens(tokens).exceeded(of.at)))
    }

    /// Adds to a count if it then is within its limits.
    async fn take(&self, count: Write, limit: SpendLimit, amount: Spend) -> Result<bool> {
        let tokens = room("used", limit.tokens, amount.tokens)?;
        let cost = room("cost", limit.cost, amount.cost)?;
        let count = match (tokens, cost) {
            (Room::None, _) | (_, Room::None) => return Ok(false),
            (Room::Any, Room::Any) => count,
            (Room::If(fits), Room::Any) | (Room::Any, Room::If(fits)) => count.when(fits),
            (Room::If(tokens), Room::If(cost)) => count.when(tokens.and(cost)),
        };
        match self.table.write(count).await {
            Ok(()) => Ok(true),
            Err(error) if error.is_condition() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts what was used instead of what was reserved.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer; then what was reserved stays counted.
    pub async fn settle_spend(&self, of: SpendOf<'_>, reserved: Spend, used: Spend) -> Result<()> {
        let difference = Change {
            tokens: signed(used.tokens) - signed(reserved.tokens),
            cost: signed(used.cost) - signed(reserved.cost),
        };
        if difference == Change::default() {
            return Ok(());
        }
        self.table.write(run_count(of, difference)?).await?;
        self.table.write(day_count(of, difference)?).await
    }
}

/// What a count must be before an amount is added.
enum Room {
    /// Anything.
    Any,
    /// As the expression says.
    If(Expr),
    /// The amount alone is too much.
    None,
}

fn room(of: &str, limit: Option<u64>, amount: u64) -> Result<Room> {
    match limit.map(|limit| limit.checked_sub(amount)) {
        None => Ok(Room::Any),
        Some(None) => Ok(Room::None),
        Some(Some(room)) => {
            let fits = format!("attribute_not_exists(#{of}) OR #{of} <= :{of}_room");
            Ok(Room::If(Expr::new(&fits).bind(&format!("{of}_room"), &room)?))
        }
    }
}

/// By how much a count changes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Change {
    tokens: i64,
    cost: i64,
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// What changes the count of the run.
fn run_count(of: SpendOf<'_>, by: Change) -> Result<Write> {
    Write::update(&keys::tokens(of.run)).add("used", &by.tokens)?.add("cost", &by.cost)
}

/// What changes the count of the person's day.
fn day_count(of: SpendOf<'_>, by: Change) -> Result<Write> {
    let day = of_day(of.who, Quota::tokens(0), of.at);
    let count = Write::update(&day).add("used", &by.tokens)?.add("cost", &by.cost)?;
    count.set("expires_at", &(of.at.as_second() + KEPT))
}
