//! The run loop of functions that take a JSON event.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use countersign_failure::{Failure, chain, json_problem};
use countersign_store_kit::{Counts, counts};
use futures::future::BoxFuture;
use lambda_runtime::{Diagnostic, LambdaEvent, Service, service_fn};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::boot::{Boot, StartError, start};

/// What a handler knows of the invocation it serves.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The Lambda request id, for the logs.
    pub request_id: String,
    /// When the invocation started, by this machine's clock.
    pub now: jiff::Timestamp,
    /// How long the function may still take.
    pub remaining: Duration,
}

/// An error as the caller of a function sees it: a stable name, a code and a message without personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name `Retry` and `Catch` match on.
    pub name: String,
    /// `CODE: message`.
    pub message: String,
}

impl Fault {
    /// Its code: what may be logged wherever the message may name somebody.
    #[must_use]
    pub fn code(&self) -> &str {
        self.message.split_once(':').map_or("", |(code, _)| code)
    }
}

impl<F: Failure> From<F> for Fault {
    fn from(error: F) -> Self {
        Self {
            name: error.asl_name().to_owned(),
            message: format!("{}: {}", error.code(), chain(&error)),
        }
    }
}

impl From<Fault> for Diagnostic {
    fn from(fault: Fault) -> Self {
        Diagnostic { error_type: fault.name, error_message: fault.message }
    }
}

/// A boxed handler, and what it answers.
pub type Handler<T = Value> =
    Arc<dyn Fn(Value, Invocation) -> BoxFuture<'static, Result<T, Fault>> + Send + Sync>;

/// Boxes a handler.
pub fn handler<T, H>(handle: H) -> Handler<T>
where
    H: Fn(Value, Invocation) -> BoxFuture<'static, Result<T, Fault>> + Send + Sync + 'static,
{
    Arc::new(handle)
}

/// An event that is not what the function takes.
#[derive(Debug, thiserror::Error, Failure)]
#[error("the event cannot be read: {0}")]
#[failure(code = "EVENT_INVALID")]
struct InvalidEvent(String);

/// Reads an event.
///
/// # Errors
/// A terminal [`Fault`] that names the place in the event.
pub fn decode<T: DeserializeOwned>(event: Value) -> Result<T, Fault> {
    serde_json::from_value(event)
        .map_err(|error| InvalidEvent(json_problem(&error.to_string())).into())
}

/// How a function answers an event with what it was built with.
pub type Answer<C> = for<'c> fn(&'c C, Value, Invocation) -> BoxFuture<'c, Result<Value, Fault>>;

/// Builds what a function works with once, then serves events with it until the process is stopped.
#[must_use]
pub fn run<C>(build: fn(&Boot) -> Result<C, StartError>, answer: Answer<C>) -> ExitCode
where
    C: Send + Sync + 'static,
{
    serve_with(Box::new(move |boot| {
        Box::pin(async move {
            let context = Arc::new(build(&boot)?);
            Ok(handler(move |event, invocation| {
                let context = Arc::clone(&context);
                Box::pin(async move { answer(&context, event, invocation).await })
            }))
        })
    }))
}

/// As [`run`], for functions that build their handler themselves.
#[must_use]
pub fn serve(build: fn(Boot) -> BoxFuture<'static, Result<Handler, StartError>>) -> ExitCode {
    serve_with(Box::new(build))
}

/// What [`serve_with`] builds the handler with.
pub type Build = Box<dyn FnOnce(Boot) -> BoxFuture<'static, Result<Handler, StartError>>>;

/// As [`serve`], for entry crates that wrap a builder of their own.
#[must_use]
pub fn serve_with(build: Build) -> ExitCode {
    start(Box::new(move |boot| Box::pin(async move { poll(build(boot).await?).await })))
}

async fn poll(handle: Handler) -> Result<(), StartError> {
    lambda_runtime::run(service(handle)).await.map_err(StartError::stopped)
}

/// Serves events with a handler, and logs each. What the parts of an answer cost that leaves in parts is counted with the
/// invocation after it.
pub(crate) fn service<T>(
    handle: Handler<T>,
) -> impl Service<
    LambdaEvent<Value>,
    Response = T,
    Error = Fault,
    Future: Future<Output = Result<T, Fault>>,
> {
    service_fn(move |event: LambdaEvent<Value>| {
        let handle = handle.clone();
        async move {
            let before = counts();
            let outcome = handle(event.payload, Invocation::of(&event.context)).await;
            log(&event.context.request_id, before, outcome.as_ref().err());
            outcome
        }
    })
}

impl Invocation {
    fn of(context: &lambda_runtime::Context) -> Self {
        let remaining =
            context.deadline().duration_since(std::time::SystemTime::now()).unwrap_or_default();
        Self { request_id: context.request_id.clone(), now: jiff::Timestamp::now(), remaining }
    }
}

/// One line per invocation: what it cost, and what went wrong by name. `countersign bench run` reads these.
fn log(request_id: &str, before: Counts, fault: Option<&Fault>) {
    let after = counts();
    let (reads, writes) = (after.reads - before.reads, after.writes - before.writes);
    let function = crate::settings::function_name();
    match fault {
        None => tracing::info!(function, request_id, reads, writes, "served"),
        Some(fault) => tracing::warn!(
            request_id,
            reads,
            writes,
            name = fault.name,
            error = fault.message,
            "failed"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_becomes_a_stable_name_and_code() {
        let fault: Fault = InvalidEvent("missing field `run`".to_owned()).into();
        assert_eq!(fault.name, "Step.Terminal");
        assert_eq!(fault.message, "EVENT_INVALID: the event cannot be read: missing field `run`");
    }
}
