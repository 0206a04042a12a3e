//! The statuses of runs and steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The statuses that runs have. The others are of looks and due times that start no run.
pub const STATUSES_OF_RUNS: [&str; 8] = [
    "running",
    "awaiting_approval",
    "complete",
    "partial",
    "rejected",
    "error",
    "timeout",
    "cancelled",
];

/// The status of a run (K-61).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// Something is being done.
    Running,
    /// A gate is open and nothing else is being done.
    AwaitingApproval,
    /// Every step did what it should.
    Complete,
    /// It ended, and some steps failed or were refused on the way.
    Partial,
    /// A monitor found nothing new.
    Suppressed,
    /// It was not due, or another run of the schedule was still going.
    Skipped,
    /// A monitor was asked outside its hours.
    OutsideActiveHours,
    /// A gate was refused and the author's answer to that is to stop.
    Rejected,
    /// A step failed and the author's answer to that is to stop.
    Error,
    /// A gate's deadline passed and the author's answer to that is to stop.
    Timeout,
    /// Somebody cancelled it.
    Cancelled,
}

impl RunStatus {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Running | Self::AwaitingApproval)
    }

    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Goes to another status.
    ///
    /// # Errors
    /// [`IllegalTransition`] when this one is final and the other differs.
    pub fn to(self, next: RunStatus) -> Result<RunStatus, IllegalTransition> {
        if self.is_final() && self != next {
            Err(IllegalTransition { from: self, to: next })
        } else {
            Ok(next)
        }
    }
}

/// A run cannot leave a final status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a run that is `{}` cannot become `{}`", .from.as_str(), .to.as_str())]
pub struct IllegalTransition {
    /// Where it is.
    pub from: RunStatus,
    /// Where it was to go.
    pub to: RunStatus,
}

/// The code of a step whose condition does not hold.
pub const CONDITION_FALSE: &str = "CONDITION_FALSE";

/// The code of what was not done because its run was ending.
pub const RUN_STOPPED: &str = "RUN_STOPPED";

/// The code of a gate that was denied, and of every step that it holds back.
pub const GATE_DENIED: &str = "GATE_DENIED";

/// The code of a gate that was not answered in time, and of every step that it holds back.
pub const GATE_TIMED_OUT: &str = "GATE_TIMED_OUT";

/// The code of a gate that was closed without a decision, and of every step that it holds back.
pub const GATE_CLOSED: &str = "GATE_CLOSED";

/// The code of a step behind a gate that was not reached.
pub const GATE_SKIPPED: &str = "GATE_SKIPPED";

/// The code of a gate that asks nobody because its run skips its gates, and of every step that it holds back.
pub const GATE_NOT_ASKED: &str = "GATE_NOT_ASKED";

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It has not begun.
    Pending,
    /// It is carried out. No event says so: it follows from the plan and from what is over.
    Running,
    /// A gate waits for people.
    Waiting,
    /// It did what it should.
    Done,
    /// Its condition was false (F-147).
    Skipped,
    /// It failed.
    Failed,
    /// It was not run: the run had stopped, a gate before it was refused, or what it needs is missing.
    NotRun,
    /// Its gate was approved.
    Approved,
    /// Its gate was refused.
    Rejected,
    /// Its gate's deadline passed.
    TimedOut,
    /// Its gate was closed without a decision: the run ended first, or skips its gates.
    Closed,
    /// It started and no result ever came.
    Lost,
    /// It sends something that cannot be taken back, and has not said what came of it yet.
    Sending,
    /// It may have sent something that cannot be taken back; nobody knows what came of it.
    Unknown,
}

impl StepStatus {
    /// Whether it is over.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running | Self::Waiting | Self::Sending)
    }

    /// Whether the step was done; one that its condition skipped was not.
    #[must_use]
    pub fn is_done(self) -> bool {
        matches!(self, Self::Done | Self::Approved)
    }

    /// Whether the step did what its author wanted of it.
    #[must_use]
    pub fn is_good(self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::Approved)
    }
}
