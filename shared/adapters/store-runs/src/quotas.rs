//! How much of a quota a person has used today.
//!
//! One conditional update counts, so however many requests come at once, no more is granted than the quota holds. A
//! request that can be repeated leaves a mark first: its repetition is not counted again. Killed between the two, one
//! request goes uncounted; nobody is ever charged twice. The mark has the day that it was counted for: a run that a trigger or
//! monitor does not start after all is taken out of that one.

use countersign_identity::UserId;
use countersign_run::{Quota, QuotaExceeded, RunId, SourceLimit, day_of};
use countersign_store_kit::{Expr, Key, Write, broken_condition};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore};

/// How long a request is known again, in seconds: as long as an `Idempotency-Key`.
const KNOWN: i64 = 86_400;
/// How long a count is kept after it was made, in seconds: beyond the end of its day.
pub(crate) const KEPT: i64 = 2 * 86_400;

/// Whether a request fits into a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// It does, and counts; or it was counted before.
    Yes,
    /// It does not, and counts for nothing.
    Exceeded(QuotaExceeded),
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use<'a> {
    /// By whom.
    pub who: &'a UserId,
    /// How much.
    pub amount: u64,
    /// What the request is known by when it comes again.
    pub known_by: Option<&'a str>,
}

impl RunStore {
    /// Counts a request in its person's quota of today.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn count<'a>(
        &'a self,
        quota: Quota,
        of: Use<'a>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Counted>> {
        Box::pin(async move {
            if quota.limit == 0 {
                return Ok(Counted::Yes);
            }
            let mark = of.known_by.map(|name| mark(of.who, quota, name));
            let count = of_day(of.who, quota, now);
            let fits = self.once(mark, &count, (of.amount, quota.room(of.amount)), now).await?;
            Ok(if fits { Counted::Yes } else { Counted::Exceeded(quota.exceeded(now)) })
        })
    }

    /// Counts a run in what its trigger or monitor may start today, once; whether it fits, or was counted before.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn count_of_source<'a>(
        &'a self,
        limit: SourceLimit<'a>,
        run: &'a RunId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let count = of_source(limit, &day_of(now));
            self.once(Some(source_mark(limit, run)), &count, (1, limit.most.checked_sub(1)), now)
                .await
        })
    }

    /// Takes back what a run that does not begin after all was counted for of what its trigger or monitor may start: from the day that
    /// it counts for, once, and nothing of a run that counts for none.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn give_back_of_source<'a>(
        &'a self,
        limit: SourceLimit<'a>,
        run: &'a RunId,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mark = source_mark(limit, run);
            let found: Option<Mark> = self.table.get(&mark).await?;
            let Some(day) = found.and_then(|found| found.day) else { return Ok(()) };
            let some = Expr::new("#used >= :one").bind("one", &1)?;
            let less = Write::update(&of_source(limit, &day)).add("used", &-1)?.when(some);
            let gone = Write::delete(&mark).when(Expr::exists());
            // Both or neither: whoever comes second finds no mark, and takes nothing.
            broken_condition(self.table.transact_contended(vec![gone, less]).await).map(drop)
        })
    }

    /// Whether one more run fits into what a trigger or monitor may start today. Nothing is counted.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn source_has_room<'a>(
        &'a self,
        limit: SourceLimit<'a>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move { Ok(self.used(&of_source(limit, &day_of(now))).await? < limit.most) })
    }

    /// Adds to a count if it fits into this room, and of what leaves a mark only once; whether it fits, or was counted before.
    async fn once(
        &self,
        mark: Option<Key>,
        count: &Key,
        (amount, room): (u64, Option<u64>),
        now: Timestamp,
    ) -> Result<bool> {
        if let Some(mark) = &mark
            && !self.marked(mark, &Mark { day: Some(day_of(now)) }, now).await?
        {
            return Ok(true);
        }
        let added = self.add(count, amount, room, now).await;
        // Not counted: when it is asked again, it has to be.
        if let (Some(mark), Ok(false) | Err(_)) = (mark, &added) {
            self.table.write(Write::delete(&mark)).await?;
        }
        added
    }

    /// Notes that what is known by this name was counted under another one: it does not count again.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn mark_counted<'a>(
        &'a self,
        quota: Quota,
        of: Use<'a>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match of.known_by.map(|name| mark(of.who, quota, name)) {
                Some(mark) => self.marked(&mark, &Mark { day: None }, now).await.map(drop),
                None => Ok(()),
            }
        })
    }

    /// Whether one more fits into a person's quota of today. Nothing is counted: [`count`](Self::count) decides.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn has_room<'a>(
        &'a self,
        quota: Quota,
        who: &'a UserId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            if quota.limit == 0 {
                return Ok(true);
            }
            let used = self.used(&of_day(who, quota, now)).await?;
            Ok(quota.room(1).is_some_and(|room| used <= room))
        })
    }

    /// How much was counted.
    async fn used(&self, count: &Key) -> Result<u64> {
        let found: Option<Used> = self.table.get(count).await?;
        Ok(found.map_or(0, |found| found.used))
    }

    /// Leaves the mark of a request; `false` when it stands already.
    async fn marked(&self, mark: &Key, body: &Mark, now: Timestamp) -> Result<bool> {
        let expired = Expr::new("attribute_not_exists(#PK) OR #expires_at <= :now");
        let put = Write::put(mark, body)?.expires_at(now.as_second() + KNOWN);
        self.table.try_write(put.when(expired.bind("now", &now.as_second())?)).await
    }

    /// Adds to a count of today if no more was used than the room says; there may be none.
    async fn add(
        &self,
        count: &Key,
        amount: u64,
        room: Option<u64>,
        now: Timestamp,
    ) -> Result<bool> {
        let Some(room) = room else { return Ok(false) };
        let fits =
            Expr::new("attribute_not_exists(#used) OR #used <= :room").bind("room", &room)?;
        let add = Write::update(count).add("used", &amount)?;
        let add = add.set("expires_at", &(now.as_second() + KEPT))?.when(fits);
        self.table.try_write(add).await
    }
}

/// The count of a day.
#[derive(Deserialize)]
struct Used {
    #[serde(default)]
    used: u64,
}

/// That a request was counted.
#[derive(Serialize, Deserialize)]
struct Mark {
    /// For which day; none where something else counts in its place, and in marks of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<String>,
}

/// What a person has used of a quota on this day.
pub(crate) fn of_day(who: &UserId, quota: Quota, now: Timestamp) -> Key {
    Key::new(partition(who), format!("{}#{}", day_of(now), quota.kind.as_str()))
}

/// What a trigger or monitor has started on this day.
fn of_source(limit: SourceLimit<'_>, day: &str) -> Key {
    Key::new(partition(limit.owner), format!("{day}#source#{}", limit.source))
}

fn source_mark(limit: SourceLimit<'_>, run: &RunId) -> Key {
    Key::new(partition(limit.owner), format!("COUNTED#source#{run}"))
}

fn partition(who: &UserId) -> String {
    format!("QUOTA#{who}")
}

fn mark(who: &UserId, quota: Quota, name: &str) -> Key {
    Key::new(partition(who), format!("COUNTED#{}#{name}", quota.kind.as_str()))
}
