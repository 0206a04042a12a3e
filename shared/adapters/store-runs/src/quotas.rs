//! How much of a quota a person has used today, and how many runs a trigger or monitor has started.
//!
//! A count is raised under the condition that there is room, so however many requests come at once, no more is granted than the
//! quota holds. It is raised in one transaction with what says that it was. For a run that is its head: a run that is written has
//! counted exactly once, in its person's day and in that of its source, and one that is not written for whatever reason counts in
//! neither. For other requests it is a mark, by which a repetition is known for a day. Where nothing else is known
//! of a request, the count is raised in a transaction of its own: sent again because its answer was lost, it counts once.
//!
//! Transactions of one person that come at the same moment meet at one count. The table then cancels all of them but one, and the
//! others try again for about three seconds at most; whoever still finds it busy has counted for nothing.

use countersign_identity::UserId;
use countersign_run::{
    Head, Quota, QuotaExceeded, QuotaKind, SourceLimit, SourceLimitExceeded, day_of,
};
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

/// How many runs may be started in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits<'a> {
    /// By whoever starts the run.
    pub person: Quota,
    /// By its trigger or monitor.
    pub source: Option<SourceLimit<'a>>,
}

impl RunLimits<'static> {
    /// Any number: a run that is started under these counts for nothing.
    pub const NONE: Self = Self { person: Quota { kind: QuotaKind::Runs, limit: 0 }, source: None };
}

/// Which of the limits of a run has no room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExceeded {
    /// That of whoever starts it.
    Person(QuotaExceeded),
    /// That of its trigger or monitor.
    Source(SourceLimitExceeded),
}

/// A count that a run is added to.
pub(crate) struct RunCount {
    key: Key,
    /// The most that may be counted before it.
    room: u64,
    /// What a run exceeds that finds no room.
    pub(crate) exceeded: RunExceeded,
}

impl RunCount {
    /// What adds a run to it if there is room.
    pub(crate) fn raised(&self, now: Timestamp) -> Result<Write> {
        adding(&self.key, 1, self.room, now)
    }
}

/// Every count that a run is added to. Its source comes first: that is what a run is told that finds no room in either.
pub(crate) fn of_run(head: &Head, limits: RunLimits<'_>) -> Vec<RunCount> {
    let now = head.started_at;
    let source = limits.source.map(|source| RunCount {
        key: of_source(source, &day_of(now)),
        room: source.most.saturating_sub(1),
        exceeded: RunExceeded::Source(source.exceeded(now)),
    });
    let person = limits.person.room(1).map(|room| RunCount {
        key: of_day(&head.invoked_by, limits.person, now),
        room,
        exceeded: RunExceeded::Person(limits.person.exceeded(now)),
    });
    source.into_iter().chain(person).collect()
}

impl RunStore {
    /// Counts a request in its person's quota of today. One that is larger than the whole quota never fits.
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
            let exceeded = Counted::Exceeded(quota.exceeded(now));
            let Some(room) = quota.room(of.amount) else { return Ok(exceeded) };
            let add = adding(&of_day(of.who, quota, now), of.amount, room, now)?;
            let mark = of.known_by.map(|name| marking(&mark(of.who, quota, name), now));
            let marks = usize::from(mark.is_some());
            // A transaction, also where nothing marks it: one that is sent again because its answer was lost counts once.
            let writes = mark.transpose()?.into_iter().chain([add]).collect();
            Ok(match broken_condition(self.table.transact_contended(writes).await)? {
                // The mark is in front of the count.
                Some(broken) if broken >= marks => exceeded,
                _ => Counted::Yes,
            })
        })
    }

    /// What one more run exceeds of these counts; none when every one has room. Nothing is counted.
    pub(crate) async fn exceeded(&self, counts: &[RunCount]) -> Result<Option<RunExceeded>> {
        for count in counts {
            if self.used(&count.key).await? > count.room {
                return Ok(Some(count.exceeded));
            }
        }
        Ok(None)
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
}

/// What adds to a count of today if no more was used than the room says; nothing was where there is no count.
fn adding(count: &Key, amount: u64, room: u64, now: Timestamp) -> Result<Write> {
    let fits = Expr::new("attribute_not_exists(#used) OR #used <= :room").bind("room", &room)?;
    let add = Write::update(count).add("used", &amount)?;
    Ok(add.set("expires_at", &(now.as_second() + KEPT))?.when(fits))
}

/// What leaves the mark of a request, if none that still holds is there.
fn marking(mark: &Key, now: Timestamp) -> Result<Write> {
    let free = Expr::new("attribute_not_exists(#PK) OR #expires_at <= :now");
    let put = Write::put(mark, &Mark {})?.expires_at(now.as_second() + KNOWN);
    Ok(put.when(free.bind("now", &now.as_second())?))
}

/// The count of a day.
#[derive(Deserialize)]
struct Used {
    #[serde(default)]
    used: u64,
}

/// That a request was counted; nothing else is known of it.
#[derive(Serialize)]
struct Mark {}

/// What a person has used of a quota on this day.
pub(crate) fn of_day(who: &UserId, quota: Quota, now: Timestamp) -> Key {
    Key::new(partition(who), format!("{}#{}", day_of(now), quota.kind.as_str()))
}

/// What a trigger or monitor has started on this day.
fn of_source(limit: SourceLimit<'_>, day: &str) -> Key {
    Key::new(partition(limit.owner), format!("{day}#source#{}", limit.source))
}

fn partition(who: &UserId) -> String {
    format!("QUOTA#{who}")
}

fn mark(who: &UserId, quota: Quota, name: &str) -> Key {
    Key::new(partition(who), format!("COUNTED#{}#{name}", quota.kind.as_str()))
}
