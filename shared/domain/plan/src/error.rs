//! Why a plan is refused.

use countersign_failure::Failure;

/// One reason a plan is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum PlanError {
    /// Nothing to do.
    #[error("the plan has no steps")]
    #[failure(code = "PLAN_INVALID")]
    Empty,
    /// More than [`MAX_STEPS`](crate::MAX_STEPS).
    #[error("the plan has {steps} steps, more than {}", crate::MAX_STEPS)]
    #[failure(code = "PLAN_TOO_LARGE")]
    TooManySteps {
        /// How many.
        steps: usize,
    },
    /// More than [`MAX_EVENTS`](crate::MAX_EVENTS).
    #[error("the plan would need about {events} history events, more than {}", crate::MAX_EVENTS)]
    #[failure(code = "PLAN_TOO_LARGE")]
    TooManyEvents {
        /// How many.
        events: usize,
    },
    /// More than [`MAX_TOOLS`](crate::MAX_TOOLS).
    #[error("the models of the plan have {tools} tools, more than {}", crate::MAX_TOOLS)]
    #[failure(code = "PLAN_TOO_LARGE")]
    TooManyTools {
        /// How many.
        tools: usize,
    },
    /// Two steps of one name.
    #[error("two steps are called `{step}`")]
    #[failure(code = "PLAN_INVALID")]
    DuplicateStep {
        /// The name.
        step: String,
    },
    /// An edge to nowhere.
    #[error("the step `{step}` waits for `{named}`, which is not a step of the plan")]
    #[failure(code = "PLAN_INVALID")]
    UnknownStep {
        /// The step.
        step: String,
        /// What it names.
        named: String,
    },
    /// Steps that wait for each other (F-163).
    #[error("these steps wait for each other: {}", steps.join(", "))]
    #[failure(code = "PLAN_INVALID")]
    Cycle {
        /// The steps.
        steps: Vec<String>,
    },
    /// No Lambda hosts the action.
    #[error("no function hosts the action `{action}` of the step `{step}`")]
    #[failure(code = "PLAN_INVALID")]
    NoFunction {
        /// The step.
        step: String,
        /// The action.
        action: String,
    },
    /// A tool that a step's model is to have, and that is not there.
    #[error("the step `{step}` names the tool `{tool}`, which the agent does not have")]
    #[failure(code = "PLAN_INVALID")]
    NoTool {
        /// The step.
        step: String,
        /// The tool.
        tool: String,
    },
    /// An irreversible step that could run without a signature.
    #[error("the irreversible step `{step}` could run without a signature")]
    #[failure(code = "PLAN_UNSIGNED")]
    Unsigned {
        /// The step.
        step: String,
    },
    /// A test with a step that has an effect.
    #[error("the step `{step}` would have an effect in a test")]
    #[failure(code = "PLAN_INVALID")]
    ActsInDryRun {
        /// The step.
        step: String,
    },
    /// The plan has no canonical form.
    #[error("the plan cannot be sealed: {0}")]
    #[failure(code = "PLAN_INVALID")]
    Unsealable(String),
    /// The stored plan is not the one that was sealed.
    #[error("the plan is not the one that was sealed")]
    #[failure(code = "PLAN_SEAL_BROKEN")]
    SealBroken,
}
