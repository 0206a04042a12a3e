//! How many tokens models have read and written for a run, and for a person today.
//!
//! Before a model is asked, the most it can cost is taken out of both; afterwards the difference is given back. Each count is one
//! conditional update, so however many steps ask at once, none begins that could exceed a limit; one that is killed in between
//! has cost its most.

use countersign_identity::UserId;
use countersign_run::{Quota, QuotaExceeded, RunId};
use countersign_store_kit::{Expr, Write};
use jiff::Timestamp;

use crate::quotas::{KEPT, of_day};
use crate::{Result, RunStore, keys};

/// How many tokens there are; 0 means any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenLimits {
    /// For one run.
    pub per_run: u64,
    /// For one person and day.
    pub per_day: u64,
}

/// For what tokens are used.
#[derive(Debug, Clone, Copy)]
pub struct TokenUse<'a> {
    /// The run.
    pub run: &'a RunId,
    /// Whose it is.
    pub who: &'a UserId,
    /// When the model was asked: the day that counts.
    pub at: Timestamp,
}

/// Whether there are as many tokens as are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// There are, and they are taken.
    Yes,
    /// The run has not so many left.
    RunSpent,
    /// The person has not so many left today.
    DayExceeded(QuotaExceeded),
}

impl RunStore {
    /// Takes tokens out of both budgets, or gives back what it took.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn reserve_tokens(
        &self,
        limits: TokenLimits,
        of: TokenUse<'_>,
        amount: u64,
    ) -> Result<Reserved> {
        let taken = signed(amount);
        if !self.take(run_count(of, taken)?, limits.per_run, amount).await? {
            return Ok(Reserved::RunSpent);
        }
        if self.take(day_count(of, taken)?, limits.per_day, amount).await? {
            return Ok(Reserved::Yes);
        }
        self.table.write(run_count(of, -taken)?).await?;
        Ok(Reserved::DayExceeded(Quota::tokens(limits.per_day).exceeded(of.at)))
    }

    /// Adds to a count if it then is within its limit.
    async fn take(&self, count: Write, limit: u64, amount: u64) -> Result<bool> {
        let count = match limit.checked_sub(amount) {
            _ if limit == 0 => count,
            None => return Ok(false),
            Some(room) => {
                let fits = Expr::new("attribute_not_exists(#used) OR #used <= :room");
                count.when(fits.bind("room", &room)?)
            }
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
    pub async fn settle_tokens(&self, of: TokenUse<'_>, reserved: u64, used: u64) -> Result<()> {
        let difference = signed(used) - signed(reserved);
        if difference == 0 {
            return Ok(());
        }
        self.table.write(run_count(of, difference)?).await?;
        self.table.write(day_count(of, difference)?).await
    }
}

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

/// What changes the count of the run.
fn run_count(of: TokenUse<'_>, amount: i64) -> Result<Write> {
    Write::update(&keys::tokens(of.run)).add("used", &amount)
}

/// What changes the count of the person's day.
fn day_count(of: TokenUse<'_>, amount: i64) -> Result<Write> {
    let day = of_day(of.who, Quota::tokens(0), of.at);
    Write::update(&day).add("used", &amount)?.set("expires_at", &(of.at.as_second() + KEPT))
}
