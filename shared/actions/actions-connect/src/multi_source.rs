//! Calls that read several places, such as feeds or the addresses of files: each place has a breaker of its own
//! (F-315), and what one says does not hide what another said.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_connector::Auth;
use countersign_registry::action::Call;
use countersign_resilience::{Admission, Admitted, CallResult, LimitKey, Report};
use tokio::sync::OnceCell;

use crate::binding::Resolved;
use crate::calling::Caller;
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::rate_meter::{Meter, within};

/// The places of one call.
pub(crate) struct Sources<'p> {
    deps: &'p Deps,
    call: &'p Call,
    resolved: &'p Resolved,
    caller: Caller<'p>,
    asked: Mutex<BTreeMap<String, Arc<Place>>>,
}

struct Place {
    subject: LimitKey,
    /// The breaker is asked once, however often the place is read in this call.
    admitted: OnceCell<Option<Admitted>>,
    meter: Meter,
    /// Whether it gave anything that was asked for.
    works: AtomicBool,
}

impl<'p> Sources<'p> {
    pub(crate) async fn open(
        deps: &'p Deps,
        call: &'p Call,
        resolved: &'p Resolved,
        timeout_seconds: u32,
    ) -> Result<Self, ConnectError> {
        let caller = Caller::open(deps, call, resolved, &Auth::None, timeout_seconds).await?;
        Ok(Self { deps, call, resolved, caller, asked: Mutex::default() })
    }

    /// Reads from a place unless it rests. `place` tells it apart from the others, without secrets; `name` is for people.
    pub(crate) async fn read<T, F>(
        &self,
        name: &str,
        place: &str,
        read: impl FnOnce(Caller<'p>) -> F + Send,
    ) -> Result<T, ConnectError>
    where
        F: Future<Output = Result<T, ConnectError>> + Send,
    {
        let place = self.place(place);
        if let Admission::Refused { until } = self.admission(&place).await {
            return Err(ConnectError::Resting { connector: name.to_owned(), until });
        }
        let meter = Arc::new(self.resolved.meter.apart());
        let outcome = read(self.caller.heard_by(meter.clone())).await;
        let heard = meter.heard();
        if heard.called && heard.fault.is_none() {
            place.works.store(true, Ordering::Relaxed);
        }
        place.meter.join(&heard);
        self.resolved.meter.join(&heard);
        outcome
    }

    fn place(&self, place: &str) -> Arc<Place> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            Arc::new(Place {
                subject: self.resolved.definition.place_subject(&self.call.owner, place),
                admitted: OnceCell::new(),
                meter: self.resolved.meter.apart(),
                works: AtomicBool::new(false),
            })
        };
        asked.entry(place.to_owned()).or_insert_with(new).clone()
    }

    async fn admission(&self, place: &Place) -> Admission {
        let Call { idempotency_key, remaining, .. } = self.call;
        let ask = async || {
            let now = place.meter.now();
            let asked = self.deps.limits.admit(&place.subject, idempotency_key, now, *remaining);
            within("the breaker", asked).await
        };
        let admitted = place.admitted.get_or_init(ask).await;
        admitted.as_ref().map_or(Admission::Pass, |admitted| admitted.admission.clone())
    }

    /// Tells the breakers how their places fared, once for each.
    pub(crate) async fn finish(self) {
        let asked = self.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        let told = asked.values().filter_map(|place| {
            let report = place.report(self.call, self.deps.rests_for)?;
            Some(async move {
                let seen = place.admitted.get().and_then(Option::as_ref);
                let seen = seen.and_then(|admitted| admitted.seen.clone());
                let told = self.deps.limits.report(&place.subject, seen, &report);
                within("the report", told).await
            })
        });
        futures::future::join_all(told).await;
    }
}

impl Place {
    /// What the call says about the place; nothing when it was not called. A probe is always answered for.
    fn report(&self, call: &Call, rests_for: Duration) -> Option<Report> {
        let heard = self.meter.heard();
        let admitted = self.admitted.get().and_then(Option::as_ref);
        let is_probe = admitted.is_some_and(|admitted| admitted.admission == Admission::Probe);
        let verdict = match &heard.fault {
            // One file of many that it cannot give does not make it a place that is down.
            _ if self.works.load(Ordering::Relaxed) => CallResult::Success,
            Some((fault, _)) if fault.row().counts => CallResult::Failure,
            Some(_) => CallResult::Neutral,
            None if heard.called => CallResult::Success,
            None if is_probe => CallResult::Neutral,
            None => return None,
        };
        Some(Report {
            holder: call.idempotency_key.clone(),
            verdict,
            error: heard.fault.map(|(_, code)| code),
            latency: heard.latency,
            at: self.meter.now(),
            rests_for,
        })
    }
}
