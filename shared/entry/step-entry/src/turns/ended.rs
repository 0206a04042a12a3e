//! How a step ends whose model looked with tools.

use countersign_plan::{OnWarning, PlanStep};
use countersign_registry::action::{ActionError, Answered};
use countersign_store_runs::{ToolOutcome, warnings_of, warnings_of_tools};

use crate::step_end::StepEnd;

/// How a step ends whose model has answered, with what its tools could not read.
pub(crate) fn ended(
    step: &PlanStep,
    hash: String,
    answered: Answered,
    calls: &[ToolOutcome],
) -> StepEnd {
    let Some(of_tools) = warnings_of_tools(step, calls) else {
        return StepEnd::answered(step, hash, answered);
    };
    if step.on_warning == OnWarning::Stop {
        let error = ActionError::terminal("WARNINGS_FOUND", of_tools.sentence());
        let failed = StepEnd::failed(step, &error).stopping();
        let model = answered.model;
        return StepEnd {
            input_hash: hash,
            output: answered.output,
            model,
            warnings: Some(Box::new(of_tools)),
            ..failed
        };
    }
    let own = warnings_of(step, &answered.output, answered.model.as_ref());
    let all = match own {
        Some(own) => own.and(Some(of_tools)),
        None => of_tools,
    };
    StepEnd { warnings: Some(Box::new(all)), ..StepEnd::answered(step, hash, answered) }
}
