//! `llm_analyze` (F-056), `synthesize_report` (F-055) and `research_with_tools` (F-057): a model answers in the fields that the
//! step declares. `plan_tasks`: it divides a question into tasks. `extract_facts`
//! it says what a question tells of whoever asks.
//!
//! What the model is shown is data and says so; what it answers is checked against the schema, with one turn to repair it. Tokens
//! are taken out of the budgets of run and person before each turn.

mod answer;
mod budget;
mod conversation;
mod drafts;
mod error;
mod facts;
mod findings;
mod handler;
mod planner;
mod prompt;
mod research;
mod talk;
mod terms;

use std::sync::Arc;

use countersign_model::Models;
use countersign_registry::action::Handler;
use countersign_registry::actions::llm_analyze::LlmAnalyze;
use countersign_registry::actions::synthesize_report::SynthesizeReport;

pub use budget::{ModelBudget, StoredBudget, TokenLimits};
pub use drafts::{Drafts, Written};
pub use error::LlmError;
pub use terms::ModelLists;

use self::facts::Facts;
use self::handler::ModelAction;
use self::planner::Planner;
use self::prompt::Style;
use self::research::Research;

/// What the actions need.
#[derive(Clone)]
pub struct Deps {
    /// Who answers.
    pub models: Models,
    /// Which of them agents may choose, and on which terms.
    pub lists: Arc<dyn ModelLists>,
    /// How much there is, and where turns are recorded.
    pub budget: Arc<dyn ModelBudget>,
    /// Where answers are shown while they are written.
    pub drafts: Arc<dyn Drafts>,
}

/// The actions of this crate.
#[must_use]
pub fn actions(deps: &Deps) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(ModelAction::<LlmAnalyze>::new(deps.clone(), Style::Analysis)),
        Arc::new(ModelAction::<SynthesizeReport>::new(deps.clone(), Style::Report)),
        Arc::new(Research { deps: deps.clone() }),
        Arc::new(Planner { deps: deps.clone() }),
        Arc::new(Facts { deps: deps.clone() }),
    ]
}

#[cfg(test)]
mod tests;
