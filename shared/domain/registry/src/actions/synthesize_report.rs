//! Has a model write a report about data.

use super::model_task::{Inputs, Params};
use super::{Nothing, model_task};
use crate::explain::Problem;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct SynthesizeReport;

impl Action for SynthesizeReport {
    const NAME: &'static str = "synthesize_report";
    const FUNCTION: &'static str = "tool-model";
    const DESCRIPTION: &'static str =
        "Has a model write a report about data, with a citation for each statement.";
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
