//! Waiting tasks.

use aws_sdk_sfn::Client;
use aws_sdk_sfn::error::{ProvideErrorMetadata, SdkError};
use countersign_aws::{AwsConfig, LazyClient, answered};
use serde_json::Value;

use crate::error::{StatesError, StatesFuture};

/// What became of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeOutcome {
    /// The execution goes on.
    Moved,
    /// Nobody waits with this token: the execution was lost, was woken before, or waits with a newer token by now. What
    /// was decided stands; the next attempt of the run, or the sweeper, takes it from there.
    NotMovedYet,
}

/// Wakes waiting tasks. The token is a secret: never log it.
#[derive(Debug, Clone)]
pub struct Tasks {
    client: LazyClient<Client>,
}

impl Tasks {
    /// Reaches Step Functions with this configuration.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig) -> Self {
        Self { client: LazyClient::of(aws, Client::new) }
    }

    /// Wakes the task with an output.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses; an unknown or spent token is not an error.
    pub fn succeed<'a>(
        &'a self,
        token: &'a str,
        output: &'a Value,
    ) -> StatesFuture<'a, ResumeOutcome> {
        Box::pin(async move {
            let request = self.client.send_task_success().task_token(token);
            let sent = request.output(output.to_string()).send().await;
            woken("waking a task", sent)
        })
    }

    /// Wakes the task with an error: `name` is what `Catch` matches on, `cause` holds no personal data.
    ///
    /// # Errors
    /// As [`Tasks::succeed`].
    pub fn fail<'a>(
        &'a self,
        token: &'a str,
        name: &'a str,
        cause: &'a str,
    ) -> StatesFuture<'a, ResumeOutcome> {
        Box::pin(async move {
            let request = self.client.send_task_failure().task_token(token);
            let sent = request.error(name).cause(cause).send().await;
            woken("failing a task", sent)
        })
    }
}

/// The errors that only mean that no task waits with the token.
const NOBODY_WAITS: [&str; 3] = ["TaskDoesNotExist", "TaskTimedOut", "InvalidToken"];

/// What became of a wake-up.
fn woken<T, E: ProvideErrorMetadata, R>(
    operation: &'static str,
    sent: Result<T, SdkError<E, R>>,
) -> Result<ResumeOutcome, StatesError> {
    let sent = sent.map(|_| ResumeOutcome::Moved);
    let nobody_waits = |said: &E| said.code().is_some_and(|code| NOBODY_WAITS.contains(&code));
    let woken = answered(sent, |said| nobody_waits(said).then_some(ResumeOutcome::NotMovedYet));
    woken.map_err(|error| StatesError::sdk(operation, &error))
}
