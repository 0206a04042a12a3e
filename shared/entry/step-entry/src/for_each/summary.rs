//! How a step over a list ends.

use std::collections::{BTreeMap, BTreeSet};

use countersign_plan::{OnError, PlanStep};
use countersign_run::{StepStatus, StopReason};
use countersign_store_runs::{EarlierCall, ListAnswers, ListEnd, ListSummary};

use super::Calls;
use super::plan::Made;
use crate::context::Context;
use crate::error::StepError;
use crate::step_end::StepEnd;
use countersign_store_runs::warnings_of;

/// The end of a step whose list has nothing left to do: everything was done by runs that this one repeats.
pub(crate) async fn of_earlier(
    context: &Context,
    step: &PlanStep,
    earlier: &[EarlierCall],
) -> Result<StepEnd, StepError> {
    let answers = context.runs.list_answers(&BTreeMap::new(), earlier).await?;
    Ok(all_made_before(step, earlier, answers))
}

/// The same, when what the earlier calls answered is known.
pub(crate) fn all_made_before(
    step: &PlanStep,
    earlier: &[EarlierCall],
    answers: ListAnswers,
) -> StepEnd {
    let is_numbered = step.has_numbered_items();
    let summary = ListSummary { earlier, is_numbered, ..ListSummary::default() };
    of(step, summary.end(answers, None), None)
}

/// The end of a step whose list is known.
pub(crate) async fn of_list(
    context: &Context,
    step: &PlanStep,
    made: &Made,
    list: &Calls,
    struck: &BTreeSet<u32>,
    instead: Option<StepEnd>,
) -> Result<StepEnd, StepError> {
    if let Some(ending) = untouched(made, instead.as_ref()) {
        return Ok(ending);
    }
    let summary = ListSummary {
        calls: Some(&made.calls),
        keys: list.left.iter().map(|item| item.key.as_str()).collect(),
        earlier: &list.before,
        struck: struck.clone(),
        allowed: list.left.len().saturating_sub(struck.len()),
        is_numbered: step.has_numbered_items(),
    };
    let answers = context.runs.list_answers(&made.calls, &list.before).await?;
    let early = instead.as_ref().and_then(|ending| ending.message.as_deref());
    Ok(of(step, summary.end(answers, early), instead.as_ref()))
}

/// The end of a step whose list is not known any more.
pub(crate) async fn of_records(
    context: &Context,
    step: &PlanStep,
    made: &Made,
    instead: StepEnd,
) -> Result<StepEnd, StepError> {
    if let Some(ending) = untouched(made, Some(&instead)) {
        return Ok(ending);
    }
    let summary = ListSummary::of_records(&made.calls, made.mark.as_ref());
    let answers = context.runs.list_answers(&made.calls, &[]).await?;
    Ok(of(step, summary.end(answers, instead.message.as_deref()), Some(&instead)))
}

/// What ended a step of which no call was begun stands as it is.
fn untouched(made: &Made, instead: Option<&StepEnd>) -> Option<StepEnd> {
    instead.filter(|_| made.calls.is_empty()).cloned()
}

fn of(step: &PlanStep, end: ListEnd, instead: Option<&StepEnd>) -> StepEnd {
    let ListEnd { status, code, message, output } = end;
    let stops = (step.on_error == OnError::Stop).then_some(StopReason::StepFailed);
    let stops = instead.and_then(|ending| ending.stops).or(stops);
    let stops = stops.filter(|_| status != StepStatus::Done);
    let warnings = warnings_of(step, &output, None).map(Box::new);
    let count = output["done"].as_u64();
    let done = StepEnd::done(String::new(), output);
    StepEnd { status, count, code, message: Some(message), stops, warnings, ..done }
}
