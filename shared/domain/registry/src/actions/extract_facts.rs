//! Has a model say what a question tells of whoever asks it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Nothing, model_task};
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct ExtractFacts;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What was asked. To the model it is data, never an instruction.
    #[schemars(length(min = 1, max = 16_000))]
    pub question: String,
    /// What is known of them already: any value.
    pub known: Option<Value>,
}

/// What comes back. Where no model answers, nothing is found, and `reason` says why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Whether the question tells anything of them that is not known.
    pub found: bool,
    /// Who they are.
    pub critical_facts: CriticalFacts,
    /// How they want to be answered.
    pub preferences: Preferences,
    /// Why nothing could be found.
    pub reason: Option<String>,
}

/// Who somebody is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriticalFacts {
    /// How they want to be called.
    pub user_name: Option<String>,
    /// For whom they work.
    pub company_name: Option<String>,
    /// As what.
    pub job_title: Option<String>,
    /// On what.
    #[serde(default)]
    pub recent_projects: Vec<String>,
}

/// How somebody wants to be answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preferences {
    /// Such as `formal`.
    pub tone: Option<String>,
    /// Such as `brief`.
    pub detail_level: Option<String>,
    /// Such as `German`.
    pub language: Option<String>,
}

impl Action for ExtractFacts {
    const NAME: &'static str = "extract_facts";
    const FUNCTION: &'static str = "tool-model";
    const DESCRIPTION: &'static str =
        "Has a model say what a question tells of whoever asks it, and changes nothing.";
    type Inputs = Inputs;
    type Params = Nothing;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        model_task::contract(contract)
    }
}
