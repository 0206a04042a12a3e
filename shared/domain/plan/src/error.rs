//! Why a plan is refused.

use countersign_failure::Failure;

/// One reason a plan is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Nothing to do.
    #[error("the plan has no steps")]
    Empty,
    /// More than [`MOST_STEPS`](crate::MOST_STEPS).
    #[error("the plan has {steps} steps, more than {}", crate::MOST_STEPS)]
    TooManySteps {
        /// How many.
        steps: usize,
    },
    /// More than [`MOST_EVENTS`](crate::MOST_EVENTS).
    #[error("the plan would need about {events} history events, more than {}", crate::MOST_EVENTS)]
    TooManyEvents {
        /// How many.
        events: usize,
    },
    /// Two steps of one name.
    #[error("two steps are called `{step}`")]
    DuplicateStep {
        /// The name.
        step: String,
    },
    /// An edge to nowhere.
    #[error("the step `{step}` waits for `{named}`, which is no step of the plan")]
    UnknownStep {
        /// The step.
        step: String,
        /// What it names.
        named: String,
    },
    /// Steps that wait for each other (F-163).
    #[error("these steps wait for each other: {}", steps.join(", "))]
    Cycle {
        /// The steps.
        steps: Vec<String>,
    },
    /// No Lambda hosts the action.
    #[error("no function hosts the action `{action}` of the step `{step}`")]
    NoFunction {
        /// The step.
        step: String,
        /// The action.
        action: String,
    },
    /// An irreversible step that could run without a signature.
    #[error("the irreversible step `{step}` could run without a signature")]
    Unsigned {
        /// The step.
        step: String,
    },
    /// A test with a step that has an effect.
    #[error("the step `{step}` would have an effect in a test")]
    ActsInDryRun {
        /// The step.
        step: String,
    },
    /// The plan has no canonical form.
    #[error("the plan cannot be sealed: {0}")]
    Unsealable(String),
    /// The stored plan is not the one that was sealed.
    #[error("the plan is not the one that was sealed")]
    SealBroken,
}

impl Failure for PlanError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unsigned { .. } => "PLAN_UNSIGNED",
            Self::SealBroken => "PLAN_SEAL_BROKEN",
            Self::TooManySteps { .. } | Self::TooManyEvents { .. } => "PLAN_TOO_LARGE",
            _ => "PLAN_INVALID",
        }
    }

    fn http_status(&self) -> u16 {
        422
    }
}
