//! Steps of a replay: what a step was answered in the run that is replayed stands in for asking, reading and sending, and each
//! says whether it is asked, or given, the same.

use countersign_plan::{OnError, OnWarning, PlanStep};
use countersign_registry::Contract;
use countersign_run::{
    GateOutcome, Head, PROMPT_CHANGED, Replayed, RunId, StepStatus, StepWarnings, StopReason,
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
/// The code of a step that is given something else than it was.
const INPUTS_CHANGED: &str = "INPUTS_CHANGED";

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
            let compared = match contract.uses_llm {
                true => asked_the_same(context, of, step, &outcome, asked).await?,
                false => given_the_same(step, &outcome, hash),
            };
            answered(of, step, outcome, hash, compared)
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
    let Some(of) = &head.replays else { return Ok(dry_run::unasked(gate, scope)) };
    let outcome = context.runs.outcome(&of.run, &gate.name).await?;
    let verdict: Option<GateOutcome> = outcome.and_then(|outcome| outcome.verdict);
    Ok(match verdict {
        Some(verdict) => dry_run::decided(gate, verdict, (&format!("as in {}:", of.run), "")),
        None => not_recorded(of, gate).stopping(),
    })
}

/// Whether a step is asked or given what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// Its model is asked the same.
    AskedTheSame,
    /// Its model is asked something else.
    PromptChanged,
    /// It is given the same inputs.
    GivenTheSame,
    /// It is given others.
    InputsChanged,
    /// There is no record that it could be compared with.
    Unknown,
}

impl Compared {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::PromptChanged => Some(PROMPT_CHANGED),
            Self::InputsChanged => Some(INPUTS_CHANGED),
            Self::AskedTheSame | Self::GivenTheSame | Self::Unknown => None,
        }
    }

    fn sentence(self, run: &RunId) -> String {
        match self {
            Self::AskedTheSame => format!("asked the same as in {run}, and answered so"),
            Self::PromptChanged => {
                format!("asks something else than in {run}, whose answer stands in")
            }
            Self::GivenTheSame => format!("given the same as in {run}, and answered so"),
            Self::InputsChanged => {
                format!("is given something else than in {run}, whose answer stands in")
            }
            Self::Unknown => {
                format!("answered as in {run}; not compared with what it was given there")
            }
        }
    }
}

/// The first turn of a step says all that it is asked: the later ones follow from it and from what tools answered.
async fn asked_the_same(
    context: &Context,
    of: &Replayed,
    step: &PlanStep,
    outcome: &StepOutcome,
    asked: Option<&Value>,
) -> Result<Compared, StepError> {
    let now = asked.and_then(|asked| asked.get("prompt_sha256")).and_then(Value::as_str);
    let Some(now) = now else { return Ok(Compared::Unknown) };
    Ok(match first_prompt(context, of, step, outcome).await? {
        Some(then) if then == now => Compared::AskedTheSame,
        Some(_) => Compared::PromptChanged,
        None => Compared::Unknown,
    })
}

/// The hash of what the model of a step was asked first; none where an earlier run had been asked.
async fn first_prompt(
    context: &Context,
    of: &Replayed,
    step: &PlanStep,
    outcome: &StepOutcome,
) -> Result<Option<String>, StepError> {
    if let Some(call) = context.runs.first_model_call(&of.run, &step.name).await? {
        return Ok(Some(call.prompt_sha256));
    }
    let only = outcome.model.as_ref().filter(|model| model.turns == 1);
    if let Some(model) = only {
        return Ok(Some(model.prompt_sha256.clone()));
    }
    let turns = context.runs.turns(&of.run, &step.name).await?;
    Ok(turns.into_iter().next().map(|turn| turn.used.prompt_sha256))
}

/// Of a step over a list it is not recorded what each call was given.
fn given_the_same(step: &PlanStep, outcome: &StepOutcome, hash: &str) -> Compared {
    match outcome.input_hash.as_str() {
        "" => Compared::Unknown,
        _ if step.for_each.is_some() => Compared::Unknown,
        then if then == hash => Compared::GivenTheSame,
        _ => Compared::InputsChanged,
    }
}

fn answered(
    of: &Replayed,
    step: &PlanStep,
    outcome: StepOutcome,
    hash: &str,
    compared: Compared,
) -> StepEnd {
    let own = warnings_of(step, &outcome.output, outcome.model.as_ref());
    let said = compared.sentence(&of.run);
    let (code, warnings) = match compared.code() {
        Some(code) => {
            let sentence = format!("`{}` {said}", step.name);
            let asks = step.on_warning == OnWarning::Gate;
            let changed = StepWarnings::one(&step.name, sentence, asks);
            (Some(code.to_owned()), Some(changed.and(own)))
        }
        None => (outcome.code, own),
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
