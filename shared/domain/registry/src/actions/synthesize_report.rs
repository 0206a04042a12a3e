//! Has a model write a report about data.

use super::Nothing;
use super::llm_analyze::{Inputs, Params};
use crate::explain::Problem;
use crate::{Action, Contract};

/// The declaration. It takes what `llm_analyze` takes.
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
        Contract { uses_llm: true, ..contract }
    }

    fn rules(params: &Params) -> Vec<Problem> {
        params.problems()
    }
}
