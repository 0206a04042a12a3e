//! `llm_analyze` (F-056) and `synthesize_report` (F-055): a model answers in the fields that the step declares.
//!
//! What the model is shown is data and says so; what it answers is checked against the schema, with one turn to repair it. Tokens
//! are taken out of the budgets of run and person before each turn.

mod answer;
mod budget;
mod conversation;
mod error;
mod handler;
mod prompt;

use std::sync::Arc;

use countersign_model::Model;
use countersign_registry::action::Handler;
use countersign_registry::actions::llm_analyze::LlmAnalyze;
use countersign_registry::actions::synthesize_report::SynthesizeReport;

pub use budget::{StoredBudget, TokenBudget};
pub use error::LlmError;

use self::handler::ModelAction;
use self::prompt::Style;

/// What the actions need.
#[derive(Clone)]
pub struct Deps {
    /// Who answers.
    pub model: Model,
    /// How many tokens there are.
    pub budget: Arc<dyn TokenBudget>,
}

/// The actions of this crate.
#[must_use]
pub fn actions(deps: &Deps) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(ModelAction::<LlmAnalyze>::new(deps.clone(), Style::Analysis)),
        Arc::new(ModelAction::<SynthesizeReport>::new(deps.clone(), Style::Report)),
    ]
}

#[cfg(test)]
mod tests;
