//! Where the shared state lies. Every method is one or two requests to its store.

use std::time::Duration;

use countersign_failure::Failure;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::breaker::Admission;
use crate::budget::{Budget, Permit};
use crate::cached_answer::CachedAnswer;
use crate::keys::{AnswerKey, LimitKey};
use crate::source_state::{HealthView, Report, SourceState};

/// The store's failure. Whoever calls a source goes on without the state: a store that is down stops no call.
pub type CallLimitError = Box<dyn Failure>;

/// An answer that is waited for.
pub type LimitFuture<'a, T> = BoxFuture<'a, Result<T, CallLimitError>>;

/// Whether a call passes, and the record that was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// Whether it passes.
    pub admission: Admission,
    /// The record as it is now; none when there was none.
    pub seen: Option<SourceState>,
}

/// Budgets and breakers, shared by every instance.
pub trait CallLimits: Send + Sync {
    /// Takes one call out of a budget, or says when there is one again.
    fn permit<'a>(
        &'a self,
        subject: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> LimitFuture<'a, Permit>;

    /// Asks the breaker. At most one caller is told [`Admission::Probe`] in the time of its lease.
    fn admit<'a>(
        &'a self,
        subject: &'a LimitKey,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> LimitFuture<'a, Admitted>;

    /// Tells how a call went. `seen` is the record of its admission: what saves a request.
    fn report<'a>(
        &'a self,
        subject: &'a LimitKey,
        seen: Option<SourceState>,
        report: &'a Report,
    ) -> LimitFuture<'a, ()>;
}

/// The last good answers.
pub trait Answers: Send + Sync {
    /// The last good answer, whatever its age.
    fn last<'a>(&'a self, key: &'a AnswerKey) -> LimitFuture<'a, Option<CachedAnswer>>;

    /// Keeps an answer, unless a newer one is kept or it is larger than [`crate::KEEP_BYTES`].
    fn keep<'a>(&'a self, key: &'a AnswerKey, answer: &'a CachedAnswer) -> LimitFuture<'a, ()>;
}

/// How sources fare, for those who look.
pub trait SourceHealth: Send + Sync {
    /// The view of one source; `rated` is the subject of its budget.
    fn health<'a>(
        &'a self,
        subject: &'a LimitKey,
        rated: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
    ) -> LimitFuture<'a, HealthView>;
}
