//! The table `Egress`: how often sources were called, how they fare, and their last good answers (F-105, F-315, K-75).
//!
//! | PK | SK | what |
//! |---|---|---|
//! | `RATE#{subject}` | `RATE` | calls of the current second, minute, hour, day and month |
//! | `STANDING#{subject}` | `STANDING` | breaker, latency, recent failures |
//! | `ANSWER#{key}` | `ANSWER` | the last good answer, compressed |
//!
//! Subjects and keys are digests. Every item expires. Nothing here is the only copy of anything: losing the table loses
//! counts and stand-ins, no work.

mod answers;
mod circuit_breakers;
mod rate;

use std::time::Duration;

use countersign_resilience::{
    Admitted, AnswerKey, Answers, Budget, CachedAnswer, CallLimits, Counters, HealthView,
    LimitFuture, LimitKey, Permit, Report, SourceHealth, SourceState,
};
use countersign_store_kit::{Item, Lookup, StoreError, Table, boxed, decode};
use jiff::Timestamp;

use crate::rate::RateItem;

/// Tries of one conditional write; each that fails means that another instance's did not.
const TRIES: usize = 10;

/// The table `Egress`.
#[derive(Debug, Clone)]
pub struct EgressStore {
    table: Table,
}

impl EgressStore {
    /// The store in this table.
    #[must_use]
    #[inline]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Where the standing of a subject is, for a batch across tables; `subject` is the subject's text.
    #[must_use]
    pub fn lookup(&self, subject: &str) -> Lookup {
        self.table.lookup(circuit_breakers::key(subject))
    }

    /// The standing in an item that a batch has read.
    ///
    /// # Errors
    /// [`StoreError::Decode`] when the item has another shape.
    pub fn record(&self, item: Item) -> Result<SourceState, StoreError> {
        decode(self.table.name(), item)
    }

    /// [`CallLimits::admit`] with the record as a batch has read it a moment ago: one request less.
    pub fn admit_seen<'a>(
        &'a self,
        subject: &'a LimitKey,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
        seen: Option<SourceState>,
    ) -> LimitFuture<'a, Admitted> {
        boxed(self.ask_seen(subject, holder, now, lease, seen))
    }

    async fn view(
        &self,
        subject: &LimitKey,
        rated: &LimitKey,
        budget: &Budget,
        now: Timestamp,
    ) -> Result<HealthView, StoreError> {
        let record: Option<SourceState> =
            self.table.get(&circuit_breakers::key(subject.as_str())).await?;
        let counters = if budget.is_unlimited() {
            Counters::default()
        } else {
            let item: Option<RateItem> = self.table.get(&rate::key(rated)).await?;
            item.unwrap_or_default().counters()
        };
        Ok(HealthView::of(&record.unwrap_or_default(), budget, &counters, now))
    }
}

impl CallLimits for EgressStore {
    fn permit<'a>(
        &'a self,
        subject: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> LimitFuture<'a, Permit> {
        boxed(self.take(subject, budget, now, patience))
    }

    fn admit<'a>(
        &'a self,
        subject: &'a LimitKey,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> LimitFuture<'a, Admitted> {
        boxed(self.ask(subject, holder, now, lease))
    }

    fn report<'a>(
        &'a self,
        subject: &'a LimitKey,
        seen: Option<SourceState>,
        report: &'a Report,
    ) -> LimitFuture<'a, ()> {
        boxed(self.tell(subject, seen, report))
    }
}

impl Answers for EgressStore {
    fn last<'a>(&'a self, key: &'a AnswerKey) -> LimitFuture<'a, Option<CachedAnswer>> {
        boxed(self.read_answer(key))
    }

    fn keep<'a>(&'a self, key: &'a AnswerKey, answer: &'a CachedAnswer) -> LimitFuture<'a, ()> {
        boxed(self.write_answer(key, answer))
    }
}

impl SourceHealth for EgressStore {
    fn health<'a>(
        &'a self,
        subject: &'a LimitKey,
        rated: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
    ) -> LimitFuture<'a, HealthView> {
        boxed(self.view(subject, rated, budget, now))
    }
}
