//! Counts the calls of one step: asks for each whether it may be made, and remembers how the last one went.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_connector::{Binding, ConnectorDefinition, RatedBy, binding_subject};
use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_registry::action::Call;
use countersign_resilience::{
    Budget, CallFailure, CallLimits, LimitFuture, LimitKey, Permit, Spent,
};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::deps::Deps;
use crate::error::ConnectError;
use crate::fault::gravity;

/// How long the shared state may keep a call waiting.
const PATIENCE: Duration = Duration::from_secs(2);

/// How the calls of a step went.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    /// Whether the source was called at all.
    pub(crate) called: bool,
    /// What was wrong with the last call, and its code.
    pub(crate) fault: Option<(CallFailure, &'static str)>,
    /// How long the last good answer took.
    pub(crate) latency: Option<Duration>,
}

/// The meter of one step.
pub(crate) struct Meter {
    limits: Arc<dyn CallLimits>,
    connector: String,
    /// The binding's own rate first: a call it does not allow is not counted against everybody.
    rates: Vec<(LimitKey, Budget)>,
    began: Timestamp,
    clock: Instant,
    heard: Mutex<Heard>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Meter {{ rates: {:?}, .. }}", self.rates)
    }
}

impl Meter {
    pub(crate) fn new(
        deps: &Deps,
        call: &Call,
        whose: Option<&UserId>,
        definition: &ConnectorDefinition,
        binding: &Binding,
    ) -> Self {
        let by = match &binding.credential {
            Some(credential) => RatedBy::Owner(&call.owner, credential),
            None => RatedBy::Everybody,
        };
        let lower = binding.permissions.rate_limit_override.map(Budget::from).unwrap_or_default();
        let rates = [
            (binding_subject(&call.owner, &definition.id, &binding.id), lower),
            (definition.rate_subject(whose, by), definition.budget()),
        ];
        Self {
            limits: deps.limits.clone(),
            connector: definition.id.to_string(),
            rates: rates.into_iter().filter(|(_, budget)| !budget.is_unlimited()).collect(),
            began: call.now,
            clock: Instant::now(),
            heard: Mutex::default(),
        }
    }

    /// A meter of the same rates that hears for itself: for one of several places.
    pub(crate) fn apart(&self) -> Self {
        Self {
            limits: self.limits.clone(),
            connector: self.connector.clone(),
            rates: self.rates.clone(),
            began: self.began,
            clock: self.clock,
            heard: Mutex::default(),
        }
    }

    /// Adds what another meter heard. The gravest fault stays.
    pub(crate) fn join(&self, other: &Heard) {
        if !other.called {
            return;
        }
        let gravity = |heard: &Heard| heard.fault.as_ref().map_or(0, |(fault, _)| gravity(*fault));
        self.hear(|heard| {
            heard.latency = heard.latency.max(other.latency);
            if gravity(other) > gravity(heard) {
                heard.fault = other.fault;
            }
        });
    }

    /// The time now, by the clock of the call.
    pub(crate) fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.clock.elapsed()).unwrap_or_default();
        self.began.checked_add(passed).unwrap_or(self.began)
    }

    /// Waits until one more call may be made, if that is before `deadline`.
    pub(crate) async fn permit(&self, deadline: Instant) -> Result<(), ConnectError> {
        for (subject, budget) in &self.rates {
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(self.out_of_time());
                }
                let asked = self.limits.permit(subject, budget, self.now(), left);
                match within("the rate", asked).await {
                    Some(Permit::Exhausted(spent)) => return Err(self.spent(spent)),
                    Some(Permit::Wait(time)) => {
                        tokio::time::sleep(time.min(left).max(Duration::from_millis(1))).await;
                    }
                    // What cannot be counted is not held back.
                    Some(Permit::Go) | None => break,
                }
            }
        }
        Ok(())
    }

    fn out_of_time(&self) -> ConnectError {
        let waited_for = format!("the rate of `{}` allowed the call", self.connector);
        ConnectError::OutOfTime { waited_for }
    }

    fn spent(&self, spent: Spent) -> ConnectError {
        ConnectError::BudgetSpent {
            connector: self.connector.clone(),
            limit: spent.limit,
            window: spent.window.as_str(),
            resets_at: spent.resets_at,
        }
    }

    /// A good answer came.
    pub(crate) fn answered(&self, latency: Duration) {
        self.hear(|heard| (heard.fault, heard.latency) = (None, Some(latency)));
    }

    /// A call failed.
    pub(crate) fn failed(&self, error: &ConnectError, fault: CallFailure) {
        self.hear(|heard| heard.fault = Some((fault, error.code())));
    }

    /// The last answer could not be read.
    pub(crate) fn malformed(&self) {
        self.hear(|heard| heard.fault = Some((CallFailure::Malformed, "CONNECTOR_MALFORMED")));
    }

    fn hear(&self, change: impl FnOnce(&mut Heard)) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.called = true;
        change(&mut heard);
    }

    /// What was heard so far.
    pub(crate) fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The shared state's answer; `None` when it has none in time. It is a help, and its failure stops no call.
pub(crate) async fn within<T>(what: &'static str, asked: LimitFuture<'_, T>) -> Option<T> {
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(answer)) => Some(answer),
        Ok(Err(error)) => {
            tracing::warn!(%error, "going on without {what}");
            None
        }
        Err(_) => {
            tracing::warn!("going on without {what}: no answer in time");
            None
        }
    }
}
