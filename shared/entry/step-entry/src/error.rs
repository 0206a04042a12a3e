//! What ends an invocation without an outcome: the machine tries again, asks people, or calls the step lost.

use countersign_approval::ports::PortError;
use countersign_failure::{Class, Failure};
use countersign_plan::PlanError;
use countersign_registry::action::ActionError;
use countersign_run::RunId;
use countersign_store_kit::StoreError;

/// Why a step ended without an outcome.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// No such run, or it has no plan yet.
    #[error("the run `{0}` is not known or has no plan")]
    UnknownRun(RunId),
    /// The plan has no such step.
    #[error("the plan has no step `{0}`")]
    UnknownStep(String),
    /// The stored plan is not the one that was sealed, or the event names another seal.
    #[error("checking the seal")]
    Seal(#[source] PlanError),
    /// Another attempt carries the run.
    #[error("attempt {attempt} was overtaken by attempt {now}")]
    Superseded {
        /// Whose event this is.
        attempt: u32,
        /// Who carries the run.
        now: u32,
    },
    /// This Lambda does not host the action.
    #[error("the action `{0}` has no handler in this function")]
    NoHandler(String),
    /// The step cannot be taken back and nobody has signed these arguments.
    #[error("the step `{0}` needs a signature")]
    NeedsSignature(String),
    /// The step was about to act before and left no outcome: it may have acted.
    #[error("the step `{0}` may have acted already; somebody has to decide whether it acts again")]
    InDoubt(String),
    /// Another invocation is about to act, or acts, and may still say what came of it.
    #[error("the step `{0}` is being done by another invocation")]
    Busy(String),
    /// A table does not answer.
    #[error("reading or writing the run")]
    Store(#[from] StoreError),
    /// The directory or the approvals do not answer.
    #[error("checking rights and signatures: {message}")]
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
    Signature(#[from] PortError),
    /// What the step would send could not be found out now.
    #[error("describing what is sent")]
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

impl Failure for StepError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownRun(_) => "RUN_UNKNOWN",
            Self::UnknownStep(_) => "STEP_UNKNOWN",
            Self::Seal(_) => "PLAN_SEAL_BROKEN",
            Self::Superseded { .. } => "ATTEMPT_SUPERSEDED",
            Self::NoHandler(_) => "ACTION_NOT_HOSTED",
            Self::NeedsSignature(_) => "STEP_NEEDS_SIGNATURE",
            Self::InDoubt(_) => "STEP_IN_DOUBT",
            Self::Busy(_) => "STEP_BUSY",
            Self::Store(error) => error.code(),
            Self::Signature(error) => error.code(),
            Self::Beside { code, .. } => code,
            Self::Describing(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Store(error) => error.class(),
            Self::Signature(error) => error.class(),
            Self::Beside { class, .. } => *class,
            Self::Describing(error) => error.class(),
            Self::Busy(_) => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn asl_name(&self) -> &'static str {
        match (self, self.class()) {
            (Self::NeedsSignature(_), _) => "Step.NeedsSignature",
            (Self::InDoubt(_), _) => "Step.InDoubt",
            (Self::Busy(_), _) => "Step.Busy",
            (_, Class::Retryable) => "Step.Retryable",
            (_, Class::Terminal) => "Step.Terminal",
        }
    }
}
