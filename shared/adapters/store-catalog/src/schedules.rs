//! Schedules: when agents run by themselves, and which are due next.

use countersign_identity::UserId;
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_store_kit::{Expr, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::keys::{self, Owner};
use crate::record;
use crate::stored::{Spec, Stored};
use crate::{Answer, Catalog, NativeMark, Result};

/// When an enabled schedule is due next. There is none of a schedule that is not enabled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueNext {
    /// Whose.
    pub owner: UserId,
    /// Which.
    pub schedule: ScheduleId,
    /// When.
    pub at: Timestamp,
    /// Raised whenever it moves on.
    pub version: u64,
}

impl Spec for ScheduleSpec {
    type Id = ScheduleId;

    const KIND: &'static str = "schedule";
    const KEY: &'static str = "SCHEDULE";

    fn property(&self) -> String {
        self.profile_id.to_string()
    }

    /// A schedule that is enabled, or has other times from now on, is due after this moment; what was due before is left out.
    fn written_with(
        before: Option<&Stored<Self>>,
        after: Option<&Stored<Self>>,
    ) -> Result<Vec<Write>> {
        let enabled = |one: &&Stored<Self>| one.spec.is_enabled;
        let (was, is) = (before.filter(enabled), after.filter(enabled));
        let same = |a: &Stored<Self>, b: &Stored<Self>| {
            (&a.spec.cron_expression, &a.spec.timezone)
                == (&b.spec.cron_expression, &b.spec.timezone)
        };
        let due = match (was, is) {
            (Some(was), Some(is)) if same(was, is) => None,
            (_, Some(is)) => is.due_next().map(|due| due_write(&due)).transpose()?,
            (Some(was), None) => {
                Some(Write::delete(&keys::due_next(Owner::of(was.user_id.as_ref()), &was.id)))
            }
            (None, None) => None,
        };
        Ok(due.into_iter().chain(NativeMark::written(before, after)?).collect())
    }
}

impl Stored<ScheduleSpec> {
    fn due_next(&self) -> Option<DueNext> {
        let (owner, schedule) = (self.user_id.clone()?, self.id.clone());
        let at = self.spec.timetable()?.next(self.updated_at)?;
        Some(DueNext { owner, schedule, at, version: 1 })
    }
}

fn due_write(due: &DueNext) -> Result<Write> {
    let key = keys::due_next(Owner::User(&due.owner), &due.schedule);
    let record = ("schedule's due time", due, due.version);
    let put = record::put(&key, record, "note when a schedule is due")?;
    let (pk, sk) = keys::due_index(due.at, &due.schedule);
    Ok(put.indexed(&pk, &sk))
}

impl Catalog {
    /// When an enabled schedule is due next.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn due_next(&self, owner: &UserId, schedule: &ScheduleId) -> Answer<'_, Option<DueNext>> {
        let key = keys::due_next(Owner::User(owner), schedule);
        record::one(&self.table, key, "read when a schedule is due")
    }

    /// Schedules that are due by this moment, the longest overdue first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn overdue(&self, now: Timestamp, most: i32) -> Result<Vec<DueNext>> {
        let doing = CatalogError::doing("read what is due");
        let (parts, end) = keys::due_until(now);
        let read = |page| record::page::<DueNext>(&self.table, page);
        let by_time = (read, |due: &DueNext| due.at);
        record::first_until(&self.table, parts, &end, most, by_time).await.map_err(doing)
    }

    /// Moves a schedule on to its next due time, or to none. `false` when somebody else did, or the schedule was changed.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn move_on<'a>(&'a self, from: &'a DueNext, next: Option<Timestamp>) -> Answer<'a, bool> {
        Box::pin(async move {
            let doing = CatalogError::doing("move a schedule on");
            let seen = Expr::new("#version = :seen AND #GSI1SK = :at");
            let (_, at) = keys::due_index(from.at, &from.schedule);
            let seen = seen.bind("seen", &from.version).and_then(|seen| seen.bind("at", &at));
            let seen = seen.map_err(doing)?;
            let write = match next {
                Some(at) => due_write(&DueNext { at, version: from.version + 1, ..from.clone() })?
                    .when(seen),
                None => {
                    let key = keys::due_next(Owner::User(&from.owner), &from.schedule);
                    Write::delete(&key).when(seen)
                }
            };
            self.table.try_write(write).await.map_err(doing)
        })
    }
}
