//! The state that instances share, in memory: what `store-egress` keeps in its table.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use countersign_connector::{Announcer, Binding, SourceFuture};
use countersign_identity::UserId;
use countersign_resilience::{
    Admitted, AnswerKey, Answers, Budget, CachedAnswer, CallLimitError, CallLimits, Counters,
    Decision, LimitFuture, LimitKey, Permit, Report, SourceState,
};
use jiff::Timestamp;

use super::{Gone, World};

#[derive(Default)]
pub(super) struct Shared {
    /// The table does not answer.
    pub(super) down: bool,
    pub(super) records: Mutex<BTreeMap<LimitKey, SourceState>>,
    pub(super) counters: Mutex<BTreeMap<LimitKey, Counters>>,
    pub(super) answers: Mutex<BTreeMap<String, CachedAnswer>>,
    pub(super) announced: Mutex<Vec<(UserId, Timestamp)>>,
}

impl Shared {
    fn up(&self) -> Result<&Self, CallLimitError> {
        if self.down { Err(Box::new(Gone)) } else { Ok(self) }
    }
}

impl CallLimits for World {
    fn permit<'a>(
        &'a self,
        subject: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> LimitFuture<'a, Permit> {
        Box::pin(async move {
            let mut counters = self.shared.up()?.counters.lock().unwrap();
            let known = counters.entry(subject.clone()).or_default();
            Ok(match budget.decide(known, now, patience) {
                Decision::Go(next) => {
                    *known = next;
                    Permit::Go
                }
                Decision::Wait(time) => Permit::Wait(time),
                Decision::Exhausted(spent) => Permit::Exhausted(spent),
            })
        })
    }

    fn admit<'a>(
        &'a self,
        subject: &'a LimitKey,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> LimitFuture<'a, Admitted> {
        Box::pin(async move {
            let mut records = self.shared.up()?.records.lock().unwrap();
            let known = records.entry(subject.clone()).or_default();
            let (admission, next) = known.breaker.admit(holder, now, lease);
            if let Some(breaker) = next {
                *known = known.with_breaker(breaker);
            }
            Ok(Admitted { admission, seen: Some(known.clone()) })
        })
    }

    fn report<'a>(
        &'a self,
        subject: &'a LimitKey,
        _: Option<SourceState>,
        report: &'a Report,
    ) -> LimitFuture<'a, ()> {
        Box::pin(async move {
            let mut records = self.shared.up()?.records.lock().unwrap();
            let known = records.entry(subject.clone()).or_default();
            *known = known.after(report);
            Ok(())
        })
    }
}

impl Answers for World {
    fn last<'a>(&'a self, key: &'a AnswerKey) -> LimitFuture<'a, Option<CachedAnswer>> {
        Box::pin(
            async move { Ok(self.shared.up()?.answers.lock().unwrap().get(key.as_str()).cloned()) },
        )
    }

    fn keep<'a>(&'a self, key: &'a AnswerKey, answer: &'a CachedAnswer) -> LimitFuture<'a, ()> {
        Box::pin(async move {
            let mut answers = self.shared.up()?.answers.lock().unwrap();
            answers.insert(key.as_str().to_owned(), answer.clone());
            Ok(())
        })
    }
}

impl Announcer for World {
    fn auth_failed<'a>(
        &'a self,
        owner: &'a UserId,
        _: &'a Binding,
        at: Timestamp,
    ) -> SourceFuture<'a, ()> {
        self.shared.announced.lock().unwrap().push((owner.clone(), at));
        Box::pin(async { Ok(()) })
    }
}
