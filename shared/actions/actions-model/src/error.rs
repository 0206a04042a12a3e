//! Why a step has no answer of a model.

use countersign_extractive::ModelRequired;
use countersign_failure::Failure;
use countersign_model::ModelError;
use countersign_registry::action::ActionError;
use countersign_run::QuotaExceeded;
use countersign_store_kit::StoreError;

/// Why a step has no answer of a model. No variant holds a prompt or an answer.
#[derive(Debug, thiserror::Error, Failure)]
pub enum LlmError {
    /// The step does not say what must be answered.
    #[error("the step has no `output_schema`")]
    #[failure(code = "STEP_INPUT_INVALID", status = 422)]
    NoSchema,
    /// More than a model is shown.
    #[error("the model would be shown {bytes} bytes; {max} are allowed")]
    #[failure(
        code = "MODEL_INPUT_TOO_LARGE",
        status = 422,
        help = "keep fewer rows or fields in a step before, with `transform_data`"
    )]
    InputTooLarge {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        max: usize,
    },
    /// The run has used its tokens.
    #[error("the run may use {limit} tokens in all, and this call could exceed them")]
    #[failure(
        code = "MODEL_BUDGET_SPENT",
        status = 429,
        help = "show the model less, or ask whoever operates the deployment for more (ModelTokensPerRun)"
    )]
    RunBudget {
        /// How many it has.
        limit: u64,
    },
    /// The person has used today's.
    #[error("{0}")]
    #[failure(forward)]
    DayBudget(QuotaExceeded),
    /// The budget is not known.
    #[error("{0}")]
    #[failure(forward)]
    Budget(StoreError),
    /// The built-in model cannot do it.
    #[error("{0}")]
    #[failure(forward)]
    ModelRequired(#[from] ModelRequired),
    /// The model did not answer.
    #[error("{0}")]
    #[failure(forward)]
    Model(#[from] ModelError),
    /// The answer does not fit, nor does the repaired one.
    #[error(
        "the answer of `{model}` does not fit `output_schema`, even after it was asked to repair it: {problems}"
    )]
    #[failure(
        code = "MODEL_ANSWER_INVALID",
        status = 502,
        help = "say more in `instructions` and in the descriptions of the fields, or ask for less"
    )]
    Invalid {
        /// Who answered.
        model: String,
        /// What is wrong, without the answer.
        problems: String,
    },
}

impl From<LlmError> for ActionError {
    fn from(error: LlmError) -> Self {
        Self::from_failure(&error)
    }
}
