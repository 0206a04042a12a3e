//! A step that lacks the result of one that a gate held back: it is left out like that one, and does not fail.

use countersign_plan::{OnReject, PlanStep, StepKind};
use countersign_run::{GATE_NOT_ASKED, GateOutcome, StepStatus, StopReason, held_back};
use countersign_store_runs::{StepOutcome, StepView};

use crate::context::Context;
use crate::error::StepError;
use crate::step_end::StepEnd;

/// Failures of steps whose arguments may lack something.
const INCOMPLETE: [&str; 3] = ["STEP_INPUT_INVALID", "FOR_EACH_NOT_A_LIST", "CONNECTOR_ARGUMENT"];

/// Why a step is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The code of the step that was held back.
    code: &'static str,
    pub(crate) message: String,
}

impl LeftOut {
    /// Why a step that failed so is left out instead; `None` where no gate is to blame. Reads only after a failure for which one could be.
    pub(crate) async fn instead(
        context: &Context,
        view: &StepView,
        step: &PlanStep,
        (code, failure): (&str, &str),
    ) -> Result<Option<Self>, StepError> {
        let is_gate = |name: &str| view.plan.step(name).is_some_and(|of| of.kind == StepKind::Gate);
        let read = step.reads.iter().map(String::as_str).filter(|name| !is_gate(name));
        let read: Vec<&str> = read.filter(|_| INCOMPLETE.contains(&code)).collect();
        if read.is_empty() {
            return Ok(None);
        }
        let outcomes = context.runs.outcomes(&view.head.run, &read, &[], None).await?;
        Ok(outcomes.values().find_map(|of| Self::by(of, failure)))
    }

    /// Because of what came of a step that it reads.
    fn by(read: &StepOutcome, failure: &str) -> Option<Self> {
        let code = held_back(read.code.as_deref()?)?;
        let why = read.message.as_deref().unwrap_or("it was not approved");
        Some(Self { code, message: format!("`{}` has no result: {why} ({failure})", read.step) })
    }

    /// How the step ends.
    fn ending(self) -> StepEnd {
        StepEnd::not_run(self.code, self.message)
    }

    /// How a gate ends that has nothing to ask for: as if it had been refused for the same reason.
    pub(crate) fn of_gate(self, on_reject: OnReject) -> StepEnd {
        let Self { code, message } = self;
        if code == GATE_NOT_ASKED {
            let ending = StepEnd::without_output(StepStatus::Closed, code, message);
            return StepEnd { verdict: Some(GateOutcome::NotAsked), ..ending };
        }
        let reason = match code {
            "GATE_TIMED_OUT" => StopReason::TimedOut,
            _ => StopReason::Rejected,
        };
        let stops = (on_reject == OnReject::Stop).then_some(reason);
        StepEnd { stops, ..StepEnd::not_run(code, message) }
    }
}

/// The ending of a step, where it did not fail for want of a result that a gate held back.
pub(crate) async fn without(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    ending: StepEnd,
) -> Result<StepEnd, StepError> {
    if ending.status != StepStatus::Failed {
        return Ok(ending);
    }
    let failure = ending.code.as_deref().zip(ending.message.as_deref());
    let Some(failure) = failure else { return Ok(ending) };
    let left_out = LeftOut::instead(context, view, step, failure).await?;
    Ok(left_out.map_or(ending, LeftOut::ending))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::Value;

    use super::*;

    #[track_caller]
    fn check(code: Option<&str>, message: Option<&str>, expect: Option<(&str, &str)>) {
        let outcome = StepOutcome {
            step: "pay".to_owned(),
            status: StepStatus::NotRun,
            input_hash: String::new(),
            output: Value::Null,
            count: None,
            code: code.map(str::to_owned),
            message: message.map(str::to_owned),
            verdict: None,
            model: None,
            approval: None,
            attempt: 1,
            at: Timestamp::UNIX_EPOCH,
        };
        let left_out = LeftOut::by(&outcome, "`data` is missing");
        let said = left_out.as_ref().map(|of| (of.code, of.message.as_str()));
        assert_eq!(said, expect);
    }

    #[test]
    fn r_065_what_a_gate_held_back_is_told_to_what_needs_it() {
        let denied = "`pay` has no result: the gate `ask` was denied (`data` is missing)";
        check(
            Some("GATE_DENIED"),
            Some("the gate `ask` was denied"),
            Some(("GATE_DENIED", denied)),
        );
        let own = "`pay` has no result: it was not approved (`data` is missing)";
        check(Some("GATE_TIMED_OUT"), None, Some(("GATE_TIMED_OUT", own)));
        check(Some("EGRESS_TIMEOUT"), Some("no answer"), None);
        check(None, None, None);
    }

    #[test]
    fn f_197_a_gate_without_anything_to_ask_for_ends_as_if_it_had_been_refused() {
        let left_out = |code| LeftOut { code, message: "why".to_owned() };
        let ended = |code, on_reject| {
            let ending = left_out(code).of_gate(on_reject);
            (ending.status, ending.verdict, ending.stops)
        };
        let not_run = StepStatus::NotRun;
        let stops = Some(StopReason::Rejected);
        assert_eq!(ended("GATE_DENIED", OnReject::Stop), (not_run, None, stops));
        assert_eq!(ended("GATE_DENIED", OnReject::Skip), (not_run, None, None));
        let late = Some(StopReason::TimedOut);
        assert_eq!(ended("GATE_TIMED_OUT", OnReject::Stop), (not_run, None, late));
        let not_asked = (StepStatus::Closed, Some(GateOutcome::NotAsked), None);
        assert_eq!(ended(GATE_NOT_ASKED, OnReject::Stop), not_asked);
    }
}
