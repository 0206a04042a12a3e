//! Executions.

use aws_sdk_sfn::Client;
use countersign_aws::{AwsConfig, LazyClient, answered};
use serde_json::Value;

use crate::error::{StatesError, StatesFuture};

/// Whether an execution is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// It was started now.
    New,
    /// One of this name exists. Names are derived from run and attempt, so this is a repetition, provided that the run's
    /// record has the same input.
    Exists,
}

/// What became of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionStatus {
    /// It goes on, or waits.
    Running,
    /// It ended as planned.
    Succeeded,
    /// It failed, was aborted, or timed out: the run needs another attempt.
    Lost,
    /// There is none of this name: it was never started, or the service has forgotten it.
    Unknown,
}

/// One state machine.
#[derive(Debug, Clone)]
pub struct Machine {
    client: LazyClient<Client>,
    arn: String,
}

impl Machine {
    /// The machine of this ARN.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, arn: impl Into<String>) -> Self {
        Self { client: LazyClient::of(aws, Client::new), arn: arn.into() }
    }

    /// Starts an execution: `name` is `{run}-{attempt}`, `input` ids only.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn start<'a>(&'a self, name: &'a str, input: &'a Value) -> StatesFuture<'a, Started> {
        Box::pin(async move {
            let request = self.client.start_execution().state_machine_arn(&self.arn).name(name);
            let sent = request.input(input.to_string()).send().await;
            let started = answered(sent.map(|_| Started::New), |said| {
                said.is_execution_already_exists().then_some(Started::Exists)
            });
            started.map_err(|error| StatesError::sdk("starting an execution", &error))
        })
    }

    /// What became of the execution `name`.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn status<'a>(&'a self, name: &'a str) -> StatesFuture<'a, ExecutionStatus> {
        Box::pin(async move {
            use aws_sdk_sfn::types::ExecutionStatus as Sdk;
            let arn = self.execution_arn(name);
            let sent = self.client.describe_execution().execution_arn(arn).send().await;
            let sent = sent.map(|answer| match answer.status {
                Sdk::Running | Sdk::PendingRedrive => ExecutionStatus::Running,
                Sdk::Succeeded => ExecutionStatus::Succeeded,
                _ => ExecutionStatus::Lost,
            });
            let found = answered(sent, |said| {
                said.is_execution_does_not_exist().then_some(ExecutionStatus::Unknown)
            });
            found.map_err(|error| StatesError::sdk("describing an execution", &error))
        })
    }

    /// Stops the execution `name`; one that has ended is left as it is.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn stop<'a>(&'a self, name: &'a str) -> StatesFuture<'a, ()> {
        Box::pin(async move {
            let arn = self.execution_arn(name);
            let stopped = self.client.stop_execution().execution_arn(arn).send().await;
            stopped.map(drop).map_err(|error| StatesError::sdk("stopping an execution", &error))
        })
    }

    /// `…:stateMachine:NAME` → `…:execution:NAME:{name}`.
    fn execution_arn(&self, name: &str) -> String {
        format!("{}:{name}", self.arn.replacen(":stateMachine:", ":execution:", 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_execution_arn_follows_from_its_machine() {
        let aws = aws_config::SdkConfig::builder()
            .behavior_version(aws_config::BehaviorVersion::latest())
            .region(aws_config::Region::new("eu-central-1"))
            .build();
        let machine =
            Machine::new(&aws.into(), "arn:aws:states:eu-central-1:1:stateMachine:cs-run");
        let expect = "arn:aws:states:eu-central-1:1:execution:cs-run:run_0-1";
        assert_eq!(machine.execution_arn("run_0-1"), expect);
    }
}
