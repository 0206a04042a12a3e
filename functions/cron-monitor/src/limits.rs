//! Budgets and breakers as one tick uses them: steps that ask the same source share its breaker, so that it is read once and
//! hears once that all is well. Each by itself would write the same record over that of the others, again and again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_resilience::{
    Admission, Admitted, Budget, CallLimits, CallResult, LimitFuture, LimitKey, Permit, Report,
    SourceState,
};
use jiff::Timestamp;
use tokio::sync::OnceCell;

/// What a tick knows of breakers, by their subject.
#[derive(Default)]
struct Known {
    admitted: HashMap<String, Arc<OnceCell<Admitted>>>,
    /// Those that heard of a success last.
    well: HashSet<String>,
}

/// Limits that share a breaker within a tick.
pub(crate) struct Shared {
    limits: Arc<dyn CallLimits>,
    known: Mutex<Known>,
}

impl Shared {
    pub(crate) fn new(limits: Arc<dyn CallLimits>) -> Self {
        Self { limits, known: Mutex::default() }
    }

    /// Forgets what an earlier tick knew.
    pub(crate) fn begin(&self) {
        *self.known() = Known::default();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a report has to be written: anything but one more success.
    fn is_news(&self, subject: &str, result: CallResult) -> bool {
        let mut known = self.known();
        if result == CallResult::Success {
            return known.well.insert(subject.to_owned());
        }
        known.well.remove(subject);
        true
    }
}

impl CallLimits for Shared {
    fn permit<'a>(
        &'a self,
        subject: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> LimitFuture<'a, Permit> {
        self.limits.permit(subject, budget, now, patience)
    }

    fn admit<'a>(
        &'a self,
        subject: &'a LimitKey,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> LimitFuture<'a, Admitted> {
        Box::pin(async move {
            let key = subject.as_str().to_owned();
            let cell = Arc::clone(self.known().admitted.entry(key).or_default());
            let mut is_first = false;
            let asked = cell
                .get_or_try_init(|| {
                    is_first = true;
                    self.limits.admit(subject, holder, now, lease)
                })
                .await?
                .clone();
            // A probe is one caller's alone, and who may not pass now may pass in a moment.
            if is_first || asked.admission == Admission::Pass {
                return Ok(asked);
            }
            self.limits.admit(subject, holder, now, lease).await
        })
    }

    fn report<'a>(
        &'a self,
        subject: &'a LimitKey,
        seen: Option<SourceState>,
        report: &'a Report,
    ) -> LimitFuture<'a, ()> {
        Box::pin(async move {
            if !self.is_news(subject.as_str(), report.verdict) {
                return Ok(());
            }
            let reported = self.limits.report(subject, seen, report).await;
            // What failed may have opened the breaker: whoever calls next asks it again.
            if report.verdict != CallResult::Success {
                self.known().admitted.remove(subject.as_str());
            }
            reported
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;

    use super::*;

    /// A breaker that lets the first callers through as it is told, and counts who asks and tells.
    struct Breaker {
        admission: Admission,
        asked: AtomicUsize,
        told: AtomicUsize,
    }

    impl CallLimits for Breaker {
        fn permit<'a>(
            &'a self,
            _: &'a LimitKey,
            _: &'a Budget,
            _: Timestamp,
            _: Duration,
        ) -> LimitFuture<'a, Permit> {
            Box::pin(async { Ok(Permit::Go) })
        }

        fn admit<'a>(
            &'a self,
            _: &'a LimitKey,
            _: &'a str,
            until: Timestamp,
            _: Duration,
        ) -> LimitFuture<'a, Admitted> {
            Box::pin(async move {
                tokio::task::yield_now().await;
                let nth = self.asked.fetch_add(1, Ordering::Relaxed);
                let is_taken = nth > 0 && self.admission == Admission::Probe;
                let admission =
                    if is_taken { Admission::Refused { until } } else { self.admission.clone() };
                Ok(Admitted { admission, seen: None })
            })
        }

        fn report<'a>(
            &'a self,
            _: &'a LimitKey,
            _: Option<SourceState>,
            _: &'a Report,
        ) -> LimitFuture<'a, ()> {
            self.told.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(()) })
        }
    }

    /// How many of four callers at once pass, and how often the breaker was asked.
    async fn check(admission: Admission) -> (usize, usize) {
        let breaker =
            Arc::new(Breaker { admission, asked: AtomicUsize::new(0), told: AtomicUsize::new(0) });
        let shared = Shared::new(breaker.clone());
        let subject = LimitKey::of(&["source"]);
        let (now, lease) = (Timestamp::UNIX_EPOCH, Duration::from_secs(1));
        let asked = (0..4).map(|_| shared.admit(&subject, "tick", now, lease));
        let asked = join_all(asked).await;
        let is_refused = |one: &Admitted| matches!(one.admission, Admission::Refused { .. });
        let passed = asked.into_iter().flatten().filter(|one| !is_refused(one)).count();
        (passed, breaker.asked.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn f_220_steps_of_one_source_ask_its_breaker_once_and_one_of_them_probes() {
        assert_eq!(check(Admission::Pass).await, (4, 1));
        assert_eq!(check(Admission::Probe).await, (1, 4));
    }

    #[tokio::test]
    async fn f_220_after_a_failure_the_breaker_is_asked_again() {
        let breaker = Arc::new(Breaker {
            admission: Admission::Pass,
            asked: AtomicUsize::new(0),
            told: AtomicUsize::new(0),
        });
        let shared = Shared::new(breaker.clone());
        let subject = LimitKey::of(&["source"]);
        let (now, lease) = (Timestamp::UNIX_EPOCH, Duration::from_secs(1));
        for (verdict, expect) in
            [(CallResult::Success, 1), (CallResult::Failure, 1), (CallResult::Success, 2)]
        {
            shared.admit(&subject, "tick", now, lease).await.unwrap();
            assert_eq!(breaker.asked.load(Ordering::Relaxed), expect, "before {verdict:?}");
            let report = Report {
                holder: "tick".to_owned(),
                verdict,
                error: None,
                latency: None,
                at: now,
                rests_for: lease,
            };
            shared.report(&subject, None, &report).await.unwrap();
        }
    }

    #[test]
    fn f_220_a_success_is_told_once_and_whatever_else_each_time() {
        let breaker = Breaker {
            admission: Admission::Pass,
            asked: AtomicUsize::new(0),
            told: AtomicUsize::new(0),
        };
        let shared = Shared::new(Arc::new(breaker));
        let results = [
            CallResult::Success,
            CallResult::Success,
            CallResult::Failure,
            CallResult::Failure,
            CallResult::Success,
        ];
        let news = results.map(|result| shared.is_news("source", result));
        assert_eq!(news, [true, false, true, true, true]);
        shared.begin();
        assert!(shared.is_news("source", CallResult::Success));
    }
}
