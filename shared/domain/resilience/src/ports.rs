//! Where the shared state lies. Every method is one or two requests to its store.

use std::time::Duration;

use countersign_failure::Failure;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::breaker::Admission;
use crate::budget::{Budget, Permit};
use crate::cached_answer::Kept;
use crate::record::{HealthView, Record, Report};
use crate::subject::{AnswerKey, Subject};

/// The store's failure. Whoever calls a source goes on without the state: a store that is down stops no call.
pub type StandingError = Box<dyn Failure>;

/// Whether a call passes, and the record that was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// Whether it passes.
    pub admission: Admission,
    /// The record as it is now; none when there was none.
    pub seen: Option<Record>,
}

/// Budgets and breakers, shared by every instance.
pub trait Standing: Send + Sync {
    /// Takes one call out of a budget, or says when there is one again.
    fn permit<'a>(
        &'a self,
        subject: &'a Subject,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> BoxFuture<'a, Result<Permit, StandingError>>;

    /// Asks the breaker. At most one caller is told [`Admission::Probe`] in the time of its lease.
    fn admit<'a>(
        &'a self,
        subject: &'a Subject,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Admitted, StandingError>>;

    /// Tells how a call went. `seen` is the record of its admission: what saves a request.
    fn report<'a>(
        &'a self,
        subject: &'a Subject,
        seen: Option<Record>,
        report: &'a Report,
    ) -> BoxFuture<'a, Result<(), StandingError>>;
}

/// The last good answers.
pub trait Answers: Send + Sync {
    /// The last good answer, whatever its age.
    fn last<'a>(&'a self, key: &'a AnswerKey)
    -> BoxFuture<'a, Result<Option<Kept>, StandingError>>;

    /// Keeps an answer, unless a newer one is kept or it is larger than [`crate::KEEP_BYTES`].
    fn keep<'a>(
        &'a self,
        key: &'a AnswerKey,
        answer: &'a Kept,
    ) -> BoxFuture<'a, Result<(), StandingError>>;
}

/// How sources fare, for those who look.
pub trait Standings: Send + Sync {
    /// The view of one source; `rated` is the subject of its budget.
    fn health<'a>(
        &'a self,
        subject: &'a Subject,
        rated: &'a Subject,
        budget: &'a Budget,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<HealthView, StandingError>>;
}
