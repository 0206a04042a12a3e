//! What ends an invocation without an outcome: the machine tries again, asks people, or calls the step lost.

use countersign_approval::ports::PortError;
use countersign_failure::{Class, Failure};
use countersign_plan::PlanError;
use countersign_registry::action::ActionError;
use countersign_run::RunId;
use countersign_store_kit::StoreError;

/// Why a step ended without an outcome.
#[derive(Debug, thiserror::Error, Failure)]
pub enum StepError {
    /// No such run, or it has no plan yet.
    #[error("the run `{0}` is not known or has no plan")]
    #[failure(code = "RUN_UNKNOWN")]
    UnknownRun(RunId),
    /// The plan has no such step.
    #[error("the plan has no step `{0}`")]
    #[failure(code = "STEP_UNKNOWN")]
    UnknownStep(String),
    /// The stored plan is not the one that was sealed, or the event names another seal.
    #[error("checking the seal")]
    #[failure(code = "PLAN_SEAL_BROKEN")]
    Seal(#[source] PlanError),
    /// Another attempt carries the run.
    #[error("attempt {attempt} was overtaken by attempt {now}")]
    #[failure(code = "ATTEMPT_SUPERSEDED")]
    Superseded {
        /// Whose event this is.
        attempt: u32,
        /// Who carries the run.
        now: u32,
    },
    /// This Lambda does not host the action.
    #[error("the action `{0}` has no handler in this function")]
    #[failure(code = "ACTION_NOT_HOSTED")]
    NoHandler(String),
    /// The step cannot be taken back and nobody has signed these arguments.
    #[error("the step `{0}` needs a signature")]
    #[failure(code = "STEP_NEEDS_SIGNATURE", asl = "Step.NeedsSignature")]
    NeedsSignature(String),
    /// The step was about to act before and left no outcome: it may have acted.
    #[error("the step `{0}` may have acted already; somebody has to decide whether it acts again")]
    #[failure(code = "STEP_IN_DOUBT", asl = "Step.InDoubt")]
    InDoubt(String),
    /// Another invocation is about to act, or acts, and may still say what came of it.
    #[error("the step `{0}` is being done by another invocation")]
    #[failure(code = "STEP_BUSY", retryable, asl = "Step.Busy")]
    Busy(String),
    /// A table does not answer.
    #[error("reading or writing the run")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The directory or the approvals do not answer.
    #[error("checking rights and signatures: {message}")]
    #[failure(code = code, class = *class)]
    Beside {
        /// The code of what went wrong there.
        code: &'static str,
        /// Its words.
        message: String,
        /// Whether trying again can help.
        class: Class,
    },
    /// The approvals do not answer.
    #[error("looking for the signature")]
    #[failure(forward)]
    Signature(#[from] PortError),
    /// What the step would send could not be found out now.
    #[error("describing what is sent")]
    #[failure(forward)]
    Describing(#[source] ActionError),
}

impl StepError {
    /// Carries over the error of the directory or the approvals.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is used with `map_err`, which hands the box over"
    )]
    pub(crate) fn beside(error: Box<dyn Failure>) -> Self {
        Self::Beside {
            code: error.code(),
            message: countersign_failure::chain(error.as_ref()),
            class: error.class(),
        }
    }
}
