//! Has a model judge data.

use super::model_task::{Inputs, Params};
use super::{Nothing, model_task};
use crate::explain::Problem;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct LlmAnalyze;

impl Action for LlmAnalyze {
    const NAME: &'static str = "llm_analyze";
    const FUNCTION: &'static str = "tool-model";
    const DESCRIPTION: &'static str =
        "Has a model judge data and answer in the fields that the step declares.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Nothing;

    fn describe(contract: Contract) -> Contract {
        model_task::contract(contract)
    }

    fn rules(params: &Params) -> Vec<Problem> {
        params.problems()
    }
}
