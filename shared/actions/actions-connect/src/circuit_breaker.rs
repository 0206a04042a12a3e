//! Around a call: the breaker before it (F-315), the report after it, and the last good answer when it fails (K-75).

use countersign_connector::{CURSOR_ARGUMENT, Connection, Health, is_irreversible, target_digest};
use countersign_failure::Failure as _;
use countersign_registry::action::Call;
use countersign_resilience::{
    Admission, AnswerKey, AnswerOf, CachedAnswer, CallFailure, CallResult, LimitKey, Report,
    SourceState,
};
use serde_json::{Map, Value, json};

use crate::binding::Resolved;
use crate::calling::{arguments, cursor};
use crate::deps::Deps;
use crate::dispatch::act;
use crate::error::ConnectError;
use crate::fault::health_of;
use crate::file_target::source;
use crate::output::Limit;
use crate::rate_meter::{Heard, within};

/// How a call came out.
pub(crate) struct Guarded {
    /// What the step gets: the answer, one that stands in, or the error.
    pub(crate) outcome: Result<Value, ConnectError>,
    /// How the binding fares, when the call says so.
    pub(crate) health: Option<Health>,
}

/// Calls an endpoint unless its source rests.
pub(crate) async fn call(deps: &Deps, call: &Call, resolved: &Resolved) -> Guarded {
    let connection = &resolved.definition.connection;
    if !connection.is_requested() {
        // Files need nothing but their source; what else a call says would be ignored.
        if let (Connection::FileParser(_), Err(error)) = (connection, arguments(call, resolved)) {
            return plain(Err(error), resolved);
        }
        return plain(act(deps, call, resolved).await, resolved);
    }
    let mut arguments = match arguments(call, resolved) {
        Ok(arguments) => arguments,
        Err(error) => return plain(Err(error), resolved),
    };
    // Another page is another answer.
    if let Some(cursor) = cursor(call) {
        arguments.insert(CURSOR_ARGUMENT.to_owned(), cursor.clone());
    }
    // Whether it is declared or not, it says which files are meant.
    if let (Connection::FileParser(_), Some(source)) = (connection, source(call)) {
        arguments.insert("source".to_owned(), source.clone());
    }
    let guard = Guard { deps, call, resolved };
    let (outcome, health) = if guard.has_places() {
        guard.call_places().await
    } else {
        let outcome = guard.call().await;
        let health = health(&outcome, resolved);
        (outcome, health)
    };
    let Some(key) = guard.answer_key(&arguments) else { return Guarded { outcome, health } };
    let outcome = match outcome {
        Ok(output) => Ok(guard.keep(&key, output).await),
        Err(error) if error.lets_stale() => guard.stale(&key, &error).await.ok_or(error),
        Err(error) => Err(error),
    };
    Guarded { outcome, health }
}

fn plain(outcome: Result<Value, ConnectError>, resolved: &Resolved) -> Guarded {
    Guarded { health: health(&outcome, resolved), outcome }
}

/// What the last answer says of the binding, also when an earlier one was good enough to go on with (F-306).
fn health(outcome: &Result<Value, ConnectError>, resolved: &Resolved) -> Option<Health> {
    let heard = resolved.meter.heard().fault.map(|(fault, _)| fault);
    let error = outcome.as_ref().err();
    match heard.or_else(|| error?.fault()) {
        Some(fault) => {
            if fault == CallFailure::AuthRefused {
                let connector = resolved.connector();
                tracing::warn!(%connector, binding = %resolved.binding.id, "the source refuses access");
            }
            health_of(fault)
        }
        None => error.is_none().then_some(Health::Ok),
    }
}

struct Guard<'g> {
    deps: &'g Deps,
    call: &'g Call,
    resolved: &'g Resolved,
}

impl Guard<'_> {
    async fn call(&self) -> Result<Value, ConnectError> {
        let subject = self.resolved.health_subject(self.call);
        let (holder, now) = (&self.call.idempotency_key, self.resolved.meter.now());
        let asked = self.deps.limits.admit(&subject, holder, now, self.call.remaining);
        let admitted = within("the breaker", asked).await;
        let (admission, seen) = admitted
            .map_or((Admission::Pass, None), |admitted| (admitted.admission, admitted.seen));
        if let Admission::Refused { until } = admission {
            let connector = self.resolved.connector();
            return Err(ConnectError::Resting { connector, until });
        }
        let outcome = act(self.deps, self.call, self.resolved).await;
        let is_probe = admission == Admission::Probe;
        if let Some(report) = self.report(outcome.as_ref().err(), is_probe) {
            self.tell(&subject, seen, &report).await;
        }
        outcome
    }

    /// Whether it reads several places, each with a breaker of its own.
    fn has_places(&self) -> bool {
        let connection = &self.resolved.definition.connection;
        matches!(connection, Connection::FileParser(_) | Connection::RssFeed(_))
    }

    /// A call of several places. How they fared together is noted for those who look, and lets none of them rest.
    async fn call_places(&self) -> (Result<Value, ConnectError>, Option<Health>) {
        let outcome = act(self.deps, self.call, self.resolved).await;
        if let Some(report) = self.report(outcome.as_ref().err(), false) {
            let subject = self.resolved.health_subject(self.call);
            self.tell(&subject, None, &Report { verdict: CallResult::Neutral, ..report }).await;
        }
        let health = health(&outcome, self.resolved);
        (outcome, health)
    }

    /// What the call says about its source; nothing when the source was not called. A probe is always answered for.
    fn report(&self, error: Option<&ConnectError>, is_probe: bool) -> Option<Report> {
        let heard = self.resolved.meter.heard();
        let fault =
            heard.fault.or_else(|| error.and_then(|error| Some((error.fault()?, error.code()))));
        let verdict = match (&fault, error, heard.called) {
            (Some((fault, _)), ..) if fault.row().counts => CallResult::Failure,
            (Some(_), ..) => CallResult::Neutral,
            (None, None, _) | (None, Some(_), true) => CallResult::Success,
            (None, Some(_), false) if is_probe => CallResult::Neutral,
            (None, Some(_), false) => return None,
        };
        let Heard { latency, .. } = heard;
        Some(Report {
            holder: self.call.idempotency_key.clone(),
            verdict,
            error: fault.map(|(_, code)| code).or_else(|| error.map(ConnectError::code)),
            latency,
            at: self.resolved.meter.now(),
            rests_for: self.deps.rests_for,
        })
    }

    fn is_of_files(&self) -> bool {
        matches!(self.resolved.definition.connection, Connection::FileParser(_))
    }

    async fn tell(&self, subject: &LimitKey, seen: Option<SourceState>, report: &Report) {
        let _ = within("the report", self.deps.limits.report(subject, seen, report)).await;
    }

    /// The key of the answer of a call that only reads.
    fn answer_key(&self, arguments: &Map<String, Value>) -> Option<AnswerKey> {
        let Resolved { definition, endpoint_name, endpoint, binding, .. } = self.resolved;
        if is_irreversible(endpoint) {
            return None;
        }
        let digest = target_digest(definition, binding).ok()?;
        let key = AnswerKey::of(&AnswerOf {
            owner: self.call.owner.as_str(),
            credential: binding.credential.as_ref().map(AsRef::as_ref),
            connector: definition.id.as_str(),
            version: &definition.version,
            definition: &digest,
            base_url: definition.place(binding.credential.as_ref()),
            endpoint: endpoint_name,
            arguments,
        });
        key.ok()
    }

    /// Keeps a good answer. One with a warning is not: something is missing in it, unless only a limit has ended it.
    async fn keep(&self, key: &AnswerKey, output: Value) -> Value {
        let has_warnings = |warnings: &Value| {
            warnings.as_array().is_none_or(|all| !all.iter().all(Limit::is_said_by))
        };
        let is_file = |errors: &&Value| self.is_of_files() && has_warnings(errors);
        let whole = self.resolved.meter.heard().fault.is_none()
            && !output.get("warnings").is_some_and(has_warnings)
            && output.get("errors").filter(is_file).is_none();
        let Value::Object(fields) = output else { return output };
        let answer = CachedAnswer { output: fields, at: self.resolved.meter.now() };
        if whole {
            let _ = within("keeping the answer", self.deps.answers.keep(key, &answer)).await;
        }
        Value::Object(answer.output)
    }

    /// The last good answer, in place of one that failed with `error`.
    async fn stale(&self, key: &AnswerKey, error: &ConnectError) -> Option<Value> {
        let kept = within("the last good answer", self.deps.answers.last(key)).await??;
        let mut stale = kept.stale(self.resolved.meter.now(), &error.to_string())?;
        if self.is_of_files() {
            as_file_warning(stale.get_mut("warnings"));
        }
        tracing::warn!(connector = %self.resolved.connector(), %error, "an earlier answer stands in");
        Some(stale)
    }
}

/// A file parser's warnings are objects; the note of an answer that stands in becomes one.
fn as_file_warning(warnings: Option<&mut Value>) {
    let last = warnings.and_then(Value::as_array_mut).and_then(|all| all.last_mut());
    if let Some(note) = last {
        let message = note.take();
        *note = json!({ "file": "", "name": "", "record": null, "field": "", "message": message });
    }
}
