//! Why a step has no answer of a model.

use countersign_extractive::ModelRequired;
use countersign_failure::Failure;
use countersign_model::ModelError;
use countersign_registry::Action as _;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::extract_facts::ExtractFacts;
use countersign_registry::actions::plan_tasks::PlanTasks;
use countersign_registry::actions::research_with_tools::ResearchWithTools;
use countersign_store_directory::DirectoryError;
use countersign_store_kit::StoreError;
use countersign_zones::to_the_second;
use jiff::Timestamp;

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
    /// The run has used its tokens, or its money.
    #[error(
        "the models of a run may use {limit} in all, and this call could exceed that: {figures}"
    )]
    #[failure(
        code = "MODEL_BUDGET_SPENT",
        status = 429,
        help = "show the model less, or ask whoever operates the deployment for more (ModelTokensPerRun, `cost_per_run`)"
    )]
    RunBudget {
        /// How much it has.
        limit: String,
        /// How much is spent, and how much the call could use.
        figures: String,
    },
    /// The person has used today's tokens, or today's money.
    #[error(
        "the models of a person's runs may use {limit} in a day, and this call could exceed that: {figures}; it begins anew at {}",
        to_the_second(*.anew)
    )]
    #[failure(
        code = "QUOTA_EXCEEDED",
        status = 429,
        help = "wait until it begins anew, or ask whoever operates the deployment for more (ModelTokensPerDay, `cost_per_day`)"
    )]
    DayBudget {
        /// How much there is.
        limit: String,
        /// How much is spent, and how much the call could use.
        figures: String,
        /// When it begins anew.
        anew: Timestamp,
    },
    /// The agent names a model that no administrator has listed.
    #[error("the agent wants the model `{model}`, which this deployment does not allow")]
    #[failure(
        code = "MODEL_NOT_ALLOWED",
        status = 422,
        help = "choose a listed one as `model_preference` of the agent, or ask an administrator to list it"
    )]
    NotAllowed {
        /// The model.
        model: String,
    },
    /// There is a budget of money, and nobody has said what the model costs.
    #[error("there is a budget of money, and the price of `{model}` is not known")]
    #[failure(
        code = "MODEL_PRICE_UNKNOWN",
        status = 422,
        help = "an administrator writes its prices into the list of models, or takes the budget out"
    )]
    PriceUnknown {
        /// The model.
        model: String,
    },
    /// The list of models cannot be had.
    #[error("{0}")]
    #[failure(forward)]
    List(DirectoryError),
    /// The list of models cannot be read: no budget would hold.
    #[error("the deployment's list of models cannot be read")]
    #[failure(
        code = "MODEL_LIST_UNREADABLE",
        status = 500,
        help = "an administrator writes it again at `PUT /api/admin/model-list`"
    )]
    ListUnreadable,
    /// The budget is not known.
    #[error("{0}")]
    #[failure(forward)]
    Budget(StoreError),
    /// The built-in model cannot do it.
    #[error("{0}")]
    #[failure(forward)]
    ModelRequired(#[from] ModelRequired),
    /// The built-in model cannot change what it quotes.
    #[error("the built-in model only quotes: it cannot be told what to change")]
    #[failure(
        code = "MODEL_REQUIRED",
        status = 422,
        help = "have an administrator set up a model provider (docs/models.md)"
    )]
    FollowsNoInstructions,
    /// The built-in model finds no facts.
    #[error("the built-in model only quotes, and finds nothing about people")]
    #[failure(
        code = "MODEL_REQUIRED",
        status = 422,
        help = "have an administrator set up a model provider (docs/models.md)"
    )]
    LearnsNothing,
    /// The built-in model cannot ask for these tools.
    #[error(
        "the built-in model asks only for tools that take the words of a question, or a name in it, and nothing else"
    )]
    #[failure(
        code = "MODEL_REQUIRED",
        status = 422,
        help = "name somebody in the question, have an administrator set up a model provider, or make the calls steps of the playbook"
    )]
    ChoosesNoTools,
    /// All that the built-in model asked for failed.
    #[error("no tool answered; `{tool}` failed with {code}")]
    #[failure(
        code = "NO_TOOL_ANSWERED",
        status = 502,
        help = "see the calls of the step, and set up what they need, or take the tools out"
    )]
    NothingAnswered {
        /// The first of them.
        tool: String,
        /// How it failed.
        code: String,
    },
    /// The model did not answer.
    #[error("{0}")]
    #[failure(forward)]
    Model(#[from] ModelError),
    /// The answer does not fit, nor does the repaired one.
    #[error(
        "the answer of `{model}` does not have the form that it was asked for, even after it was asked to repair it: {problems}"
    )]
    #[failure(code = "MODEL_ANSWER_INVALID", status = 502, help = Some(advice.to_string()))]
    Invalid {
        /// Who answered.
        model: String,
        /// What is wrong, without the answer.
        problems: String,
        /// What can be done about it.
        advice: &'static str,
    },
}

/// What can be done about an answer of the wrong form: which settings say more of it. A plan that was made for a question has those of
/// its agent, a playbook has those of its step.
pub(crate) fn advice(call: &Call) -> &'static str {
    let is_of_playbook = call.info.playbook_id.is_some();
    match (call.action.as_str(), is_of_playbook) {
        (ExtractFacts::NAME, _) => "choose another model",
        (PlanTasks::NAME, true) => {
            "say more in the `description` of each of the `specialists`, or choose another `model`"
        }
        (PlanTasks::NAME, false) => {
            "ask for less at once, say more in the `description` of each of the agent's `specialists`, or choose another model"
        }
        (ResearchWithTools::NAME, true) => {
            "say more in `system_prompt` and in the descriptions of the fields, or ask for less"
        }
        (_, false) => {
            "ask for less at once, say more in the agent's `system_prompt_additions`, or choose another model"
        }
        (_, true) => {
            "say more in `instructions` and in the descriptions of the fields, or ask for less"
        }
    }
}

impl From<LlmError> for ActionError {
    fn from(error: LlmError) -> Self {
        Self::from_failure(&error)
    }
}
