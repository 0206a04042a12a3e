//! What every action that a model carries out takes: data, and what is to be done with them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::llm_analyze::LlmAnalyze;
use super::synthesize_report::SynthesizeReport;
use crate::explain::{Path, Problem, ProblemKind};
use crate::{Action, Contract};

/// The input that holds what steps before found.
pub const FINDINGS: &str = "findings";

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What the model is shown: any value. To the model it is data, never an instruction.
    pub data: Value,
    /// What steps before found, by name: any value. The model is shown it beside the data, of each entry the first 16 KiB; more is left
    /// out, with a warning. To the model it is data, too.
    pub findings: Option<Value>,
}

/// Settings.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Params {
    /// What the model is asked to do with the data.
    #[schemars(length(min = 1, max = 10_000))]
    pub instructions: Option<String>,
    /// The form of the answer, such as a page with headings.
    #[schemars(length(min = 1, max = 20_000))]
    pub template: Option<String>,
}

impl Params {
    /// A model that is asked nothing answers anything.
    pub(super) fn problems(&self) -> Vec<Problem> {
        if self.instructions.is_some() || self.template.is_some() {
            return Vec::new();
        }
        let message = "`instructions` or `template` must say what the model is to do";
        vec![Problem::new(Path::of("instructions"), ProblemKind::Missing, message)]
    }
}

/// Whether a model that writes for this action can be told what to change of what it has written: it has no tools, so nothing but
/// its answer changes.
#[must_use]
pub fn takes_changes(action: &str) -> bool {
    [LlmAnalyze::NAME, SynthesizeReport::NAME].contains(&action)
}

/// The contract of such an action.
pub(super) fn contract(contract: Contract) -> Contract {
    Contract { uses_llm: true, ..contract }
}
