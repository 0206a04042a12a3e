//! Steps of a replay: what a step was answered in the run that is replayed stands in for asking and reading, and a model's step
//! says whether it would be asked the same.

use countersign_plan::{OnError, OnWarning, PlanStep};
use countersign_registry::Contract;
use countersign_run::{
    GateOutcome, Head, PROMPT_CHANGED, Replayed, StepStatus, StepWarnings, StopReason,
};
use countersign_store_runs::{StepOutcome, warnings_of};
use countersign_wiring::Scope;
use serde_json::Value;

use crate::context::Context;
use crate::dry_run;
use crate::error::StepError;
use crate::step_end::StepEnd;

/// The code of a step that the run which is replayed has no answer of.
const NOT_RECORDED: &str = "NOT_RECORDED";

/// How a step of a replay ends; none of one that only computes, and of a run that is no replay.
pub(crate) async fn ending(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    contract: &Contract,
    (hash, asked): (&str, Option<&Value>),
) -> Result<Option<StepEnd>, StepError> {
    let Some(of) = head.replays.as_ref().filter(|_| step.stand_in.is_some()) else {
        return Ok(None);
    };
    let Some(outcome) = context.runs.outcome(&of.run, &step.name).await? else {
        return Ok(Some(not_recorded(of, step)));
    };
    Ok(Some(match outcome.status {
        StepStatus::Done => {
            let asked = match asked.filter(|_| contract.uses_llm) {
                Some(asked) => compared(context, of, step, &outcome, asked).await?,
                None => Compared::Unknown,
            };
            answered(of, step, outcome, hash, asked)
        }
        // Its condition did not hold then.
        StepStatus::Skipped => not_recorded(of, step),
        _ => ended(of, outcome, stopped_by(context, of, step).await?),
    }))
}

/// How a gate of a test ends: of a replay as it was decided, of any other as its stand-in says. It asks nobody.
pub(crate) async fn unasked(
    context: &Context,
    head: &Head,
    gate: &PlanStep,
    scope: &Scope<'_>,
) -> Result<StepEnd, StepError> {
    let Some(of) = &head.replays else { return Ok(dry_run::unasked(gate, scope, None)) };
    let outcome = context.runs.outcome(&of.run, &gate.name).await?;
    let decided: Option<GateOutcome> = outcome.and_then(|outcome| outcome.verdict);
    Ok(match decided {
        Some(decided) => dry_run::unasked(gate, scope, Some(decided)),
        None => not_recorded(of, gate).stopping(),
    })
}

/// Whether a model is asked what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Same,
    Changed,
    /// It asks no model, or there is no record of what was asked.
    Unknown,
}

/// The first turn of a step says all that it is asked: the later ones follow from it and from what tools answered.
async fn compared(
    context: &Context,
    of: &Replayed,
    step: &PlanStep,
    outcome: &StepOutcome,
    asked: &Value,
) -> Result<Compared, StepError> {
    let Some(now) = asked.get("prompt_sha256").and_then(Value::as_str) else {
        return Ok(Compared::Unknown);
    };
    let first = context.runs.first_model_call(&of.run, &step.name).await?;
    let only = outcome.model.as_ref().filter(|model| model.turns == 1);
    let then = first.map(|call| call.prompt_sha256);
    let then = then.or_else(|| only.map(|model| model.prompt_sha256.clone()));
    Ok(match then {
        Some(then) if then == now => Compared::Same,
        Some(_) => Compared::Changed,
        None => Compared::Unknown,
    })
}

fn answered(
    of: &Replayed,
    step: &PlanStep,
    outcome: StepOutcome,
    hash: &str,
    asked: Compared,
) -> StepEnd {
    let run = &of.run;
    let own = warnings_of(step, &outcome.output, outcome.model.as_ref());
    let said = match asked {
        Compared::Same => format!("asked the same as in {run}, and answered so"),
        Compared::Changed => format!("asks something else than in {run}, whose answer stands in"),
        Compared::Unknown => format!("answered as in {run}"),
    };
    let is_changed = asked == Compared::Changed;
    let (code, warnings) = if is_changed {
        let sentence = format!("`{}` {said}", step.name);
        let changed = StepWarnings::one(&step.name, sentence, step.on_warning == OnWarning::Gate);
        (Some(PROMPT_CHANGED.to_owned()), Some(changed.and(own)))
    } else {
        (outcome.code, own)
    };
    let message = match outcome.message {
        Some(then) => format!("{said}: {then}"),
        None => said,
    };
    StepEnd {
        code,
        message: Some(message),
        warnings: warnings.map(Box::new),
        count: outcome.count,
        model: outcome.model,
        ..StepEnd::done(hash.to_owned(), outcome.output)
    }
}

/// A step that was not done ends as it did, and the run with it if it did.
fn ended(of: &Replayed, outcome: StepOutcome, stops: Option<StopReason>) -> StepEnd {
    let code = outcome.code.unwrap_or_else(|| NOT_RECORDED.to_owned());
    let message = format!("as in {}: {}", of.run, outcome.message.unwrap_or_default());
    let ending = StepEnd::without_output(outcome.status, &code, message);
    StepEnd { output: outcome.output, verdict: outcome.verdict, stops, ..ending }
}

/// Why the run that is replayed ended with this step, if it did.
async fn stopped_by(
    context: &Context,
    of: &Replayed,
    step: &PlanStep,
) -> Result<Option<StopReason>, StepError> {
    let head = context.runs.head(&of.run).await?;
    let stop = head.and_then(|head| head.stop);
    let own = stop.filter(|stop| stop.step.as_deref() == Some(step.name.as_str()));
    Ok(own.map(|stop| stop.reason))
}

fn not_recorded(of: &Replayed, step: &PlanStep) -> StepEnd {
    let message = format!("there is no answer to take over: {} did not do this step", of.run);
    let ending = StepEnd::without_output(StepStatus::Failed, NOT_RECORDED, message);
    let stops = (step.on_error == OnError::Stop).then_some(StopReason::StepFailed);
    StepEnd { stops, ..ending }
}
