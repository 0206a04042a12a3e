//! The turns of a run with models.

use countersign_run::{ModelCall, ModelCallEnd, RunId};
use countersign_store_kit::{Page, StoreError, Window, Write, broken_condition};
use futures::future::{BoxFuture, try_join};
use serde::{Deserialize, Serialize};

use crate::spend::{Change, day_count, day_key, run_count, within};
use crate::{Reserved, Result, RunStore, Spend, SpendLimits, SpendOf, Spent, keys};

/// A turn that is over.
#[derive(Debug, Clone, Copy)]
pub struct EndedCall<'a> {
    /// For what it was.
    pub of: SpendOf<'a>,
    /// What was taken out of the budgets for it.
    pub reserved: Spend,
    /// What it used.
    pub used: Spend,
    /// How it ended.
    pub call: &'a ModelCall,
    /// Whether something of its answer was shown while it was written.
    pub is_shown: bool,
}

impl<'a> EndedCall<'a> {
    /// A turn whose end was left to be written with what came of it.
    #[must_use]
    pub fn of(run: &'a RunId, end: &'a ModelCallEnd) -> Self {
        Self {
            of: SpendOf { run, who: &end.who, at: end.at },
            reserved: Spend::of(&end.reserved),
            used: Spend::of(&end.ended),
            call: &end.ended,
            is_shown: end.is_shown,
        }
    }

    fn difference(&self) -> Change {
        Change::between(self.reserved, self.used)
    }

    /// All that is written of it.
    pub(crate) fn writes(&self) -> Result<Vec<Write>> {
        let mut writes = vec![recorded(self.of.run, self.call)?];
        let difference = self.difference();
        if difference != Change::default() {
            writes.extend([run_count(self.of, difference)?, day_count(self.of, difference)?]);
        }
        if self.is_shown {
            writes.push(Write::delete(&keys::draft(self.of.run, &self.call.step)));
        }
        Ok(writes)
    }
}

impl RunStore {
    /// Takes an amount out of the budgets of a run and of its person's day, and writes the record of the turn that may use it. If
    /// one of them has not so much, nothing is taken and nothing is written. One transaction; a record that is written again is
    /// replaced.
    ///
    /// When a limit is below the amount, nothing is asked of the table.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer, or others are at the same counts for seconds. What the table was asked for
    /// and did not answer may be counted: too much, never too little.
    pub async fn begin_model_call(
        &self,
        limits: SpendLimits,
        of: SpendOf<'_>,
        amount: Spend,
        call: &ModelCall,
    ) -> Result<Reserved> {
        let taken = Change::between(Spend::default(), amount);
        let run = within(run_count(of, taken)?, limits.per_run, amount)?;
        let Some(run) = run else { return Ok(Reserved::RunSpent) };
        let day = within(day_count(of, taken)?, limits.per_day, amount)?;
        let Some(day) = day else { return Ok(limits.day_exceeded(of.at)) };
        let writes = vec![run, day, recorded(of.run, call)?];
        Ok(match broken_condition(self.table.transact_contended(writes).await)? {
            None => Reserved::Yes,
            Some(0) => Reserved::RunSpent,
            // The record has no condition, so this is the count of the day.
            Some(_) => limits.day_exceeded(of.at),
        })
    }

    /// What is counted of a run and of its person's day, with what calls that go on could use. For people: nothing is decided by it.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn spent(&self, of: SpendOf<'_>) -> Result<Spent> {
        let (run, day) = (keys::tokens(of.run), day_key(of));
        let (by_run, in_day) =
            try_join(self.table.get::<Count>(&run), self.table.get::<Count>(&day)).await?;
        let spend = |counted: Option<Count>| counted.map(Spend::from).unwrap_or_default();
        Ok(Spent { by_run: spend(by_run), in_day: spend(in_day) })
    }

    /// Counts what a turn used instead of what was reserved, writes how it ended, and removes what was shown of its answer. One
    /// transaction; when it is not done, what was reserved stays counted, which is logged, and the rest is done alone.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the record cannot be written.
    pub async fn end_model_call(&self, ended: EndedCall<'_>) -> Result<()> {
        let writes = ended.writes()?;
        if writes.len() > 1 {
            let Err(error) = self.table.transact_contended(writes).await else { return Ok(()) };
            let (run, step) = (ended.of.run, &ended.call.step);
            let stays = ended.difference() != Change::default();
            tracing::warn!(%run, step, %error, stays, "the end of a turn is written in parts; what was reserved may stay counted");
        }
        self.end_model_call_uncounted(ended).await
    }

    /// The same but for the budgets: what was reserved stays counted.
    async fn end_model_call_uncounted(&self, ended: EndedCall<'_>) -> Result<()> {
        let EndedCall { of, call, is_shown, .. } = ended;
        self.table.write(recorded(of.run, call)?).await?;
        if is_shown && let Err(error) = self.remove_draft(of.run, &call.step).await {
            // It is shown until the step is over, or for five minutes.
            tracing::warn!(run = %of.run, step = call.step, %error, "a draft stays");
        }
        Ok(())
    }

    /// Writes the end of a turn with what came of it, in one transaction. What does not succeed together is done apart: the end of
    /// the turn at once, without the budgets where it is not known whether they are counted; false says that the rest is still to be
    /// written.
    pub(crate) async fn with_end_of_turn(
        &self,
        mut writes: Vec<Write>,
        ended: EndedCall<'_>,
    ) -> Result<bool> {
        writes.extend(ended.writes()?);
        let Err(error) = self.table.transact_contended(writes).await else { return Ok(true) };
        let (run, step) = (ended.of.run, &ended.call.step);
        tracing::info!(%run, step, %error, "the end of a turn is written by itself");
        let apart = match &error {
            // Nothing was written.
            StoreError::ConditionFailed { .. } | StoreError::Refused { .. } => {
                self.end_model_call(ended).await
            }
            _ => self.end_model_call_uncounted(ended).await,
        };
        if let Err(error) = apart {
            tracing::warn!(%run, step, %error, "how a turn ended is not recorded");
        }
        Ok(false)
    }

    /// Writes the end of a turn of which nothing else is written. That it cannot be is logged.
    pub async fn end_turn_apart(&self, run: &RunId, end: &ModelCallEnd) {
        if let Err(error) = self.end_model_call(EndedCall::of(run, end)).await {
            tracing::warn!(%run, step = end.ended.step, %error, "how a turn ended is not recorded");
        }
    }

    /// A page of the turns of a run: by step, and of a step by time.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn model_calls(
        &self,
        run: &RunId,
        window: Window,
    ) -> BoxFuture<'_, Result<Page<ModelCall>>> {
        let query = keys::model_calls(run).within(window);
        self.table.page_as(query, |row: Row| row.call)
    }

    /// The first turn of a step with a model of a provider; none of a step without one.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn first_model_call(&self, run: &RunId, step: &str) -> Result<Option<ModelCall>> {
        let query = keys::model_calls_of(run, step).limit(1);
        let page = self.table.page_as(query, |row: Row| row.call).await?;
        Ok(page.items.into_iter().next())
    }
}

/// A count as it is stored.
#[derive(Deserialize)]
struct Count {
    #[serde(default)]
    used: i64,
    #[serde(default)]
    cost: i64,
}

impl From<Count> for Spend {
    fn from(count: Count) -> Self {
        let amount = |counted: i64| u64::try_from(counted).unwrap_or_default();
        Self { tokens: amount(count.used), cost: amount(count.cost) }
    }
}

/// What writes the record of a turn, in place of one that is there.
fn recorded(run: &RunId, call: &ModelCall) -> Result<Write> {
    let key = keys::model_call(run, &call.step, call.asked_at, call.turn);
    Write::put(&key, &Row { call: call.clone() })
}

/// A turn as it is stored, apart from its keys.
#[derive(Serialize, Deserialize)]
struct Row {
    call: ModelCall,
}
