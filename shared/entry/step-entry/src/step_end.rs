//! Recording how a step ended.

use std::sync::Arc;

use countersign_failure::{Class, Failure};
use countersign_plan::{OnError, OnWarning, Plan, PlanStep};
use countersign_registry::action::{ActionError, Answered};
use countersign_run::{
    CONDITION_FALSE, EFFECT_UNKNOWN, Event, EventKind, GATE_CLOSED, GATE_DENIED, GATE_SKIPPED,
    GATE_TIMED_OUT, GateOutcome, LeftEnd, ModelUse, PARTLY_DONE, StepStatus, StepWarnings, Stop,
    StopReason, partly_done, warning_sentences,
};
use countersign_store_runs::{Consequence, Ended, Intent, RunStore, StepOutcome};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::error::StepError;
use crate::event::{Envelope, StepEvent};
use crate::upstream::UPSTREAM_LOST;
use crate::warned::TOLD;
use countersign_store_runs::warnings_of;

/// How a step ends.
#[derive(Clone)]
pub(crate) struct StepEnd {
    pub(crate) status: StepStatus,
    pub(crate) input_hash: String,
    pub(crate) output: Value,
    /// How many things it did, where that is not the `count` of its output.
    pub(crate) count: Option<u64>,
    /// The model that wrote the output.
    pub(crate) model: Option<ModelUse>,
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
    /// Why the run ends with it, if it does.
    pub(crate) stops: Option<StopReason>,
    /// How a gate is taken to have ended that asked nobody: of a test, or in the run of a clock.
    pub(crate) verdict: Option<GateOutcome>,
    /// What it could not read, for the steps behind it and those who sign them.
    pub(crate) warnings: Option<Box<StepWarnings>>,
    /// The end of the last call of its model, where that is still to be written.
    pub(crate) end_of_turn: Option<Arc<LeftEnd>>,
}

/// The codes of steps that were held back by a gate at which people were to be asked. Where a run skips its gates nobody signs later.
const HELD_BACK: [&str; 4] = [GATE_DENIED, GATE_TIMED_OUT, GATE_CLOSED, GATE_SKIPPED];

/// What stands of the end of a step.
pub(crate) struct Recorded {
    pub(crate) outcome: StepOutcome,
    /// Whether this invocation wrote it.
    pub(crate) is_new: bool,
}

/// Messages are for people and live in an item; a longer one is cut, with a mark.
const MAX_MESSAGE: usize = 2_000;

fn cut(message: String) -> String {
    if message.chars().count() <= MAX_MESSAGE {
        return message;
    }
    message.chars().take(MAX_MESSAGE - 1).chain(['…']).collect()
}

impl StepEnd {
    pub(crate) fn done(input_hash: String, output: Value) -> Self {
        Self {
            status: StepStatus::Done,
            input_hash,
            output,
            count: None,
            model: None,
            code: None,
            message: None,
            stops: None,
            verdict: None,
            warnings: None,
            end_of_turn: None,
        }
    }

    /// A step that acted and answered; its author may want it to fail when some of the answer could not be read.
    pub(crate) fn answered(step: &PlanStep, input_hash: String, answered: Answered) -> Self {
        let Answered { output, model } = answered;
        let warnings = warnings_of(step, &output, model.as_ref());
        let end = match stopped_by_warnings(step, &output) {
            Some(end) => Self { input_hash, output, ..end },
            None => {
                let message = partly_done(&output);
                let code = message.as_ref().map(|_| PARTLY_DONE.to_owned());
                Self { code, message, ..Self::done(input_hash, output) }
            }
        };
        Self { warnings: warnings.map(Box::new), model, ..end }
    }

    /// A step that is skipped because nobody can tell whether its condition holds: a warning, of which its author may want the
    /// run to end.
    pub(crate) fn undecided(step: &PlanStep, message: String) -> Self {
        let output = json!({ "warnings": [{ "message": message }] });
        let warnings = warnings_of(step, &output, None).map(Box::new);
        let skipped = || Self::without_output(StepStatus::Skipped, CONDITION_FALSE, message);
        let end = stopped_by_warnings(step, &output).unwrap_or_else(skipped);
        Self { output, warnings, ..end }
    }

    pub(crate) fn without_output(status: StepStatus, code: &str, message: String) -> Self {
        let (code, message) = (Some(code.to_owned()), Some(message));
        Self {
            status,
            input_hash: String::new(),
            output: Value::Null,
            count: None,
            model: None,
            code,
            message,
            stops: None,
            verdict: None,
            warnings: None,
            end_of_turn: None,
        }
    }

    /// It was not run, because of something before it.
    pub(crate) fn not_run(code: &str, message: String) -> Self {
        Self::without_output(StepStatus::NotRun, code, message)
    }

    /// A failure, with what its author wants of it.
    pub(crate) fn failed(step: &PlanStep, error: &dyn Failure) -> Self {
        let help = error.help().map(|help| format!(" ({help})")).unwrap_or_default();
        let message = format!("{}{help}", countersign_failure::chain(error));
        let ending = Self::without_output(StepStatus::Failed, error.code(), message);
        let stops = (step.on_error == OnError::Stop).then_some(StopReason::StepFailed);
        Self { stops, ..ending }
    }

    /// Whatever ends a step that may have acted: only the call itself can say what came of it.
    pub(crate) fn unknown(self, step: &PlanStep, intent: &Intent) -> Self {
        if self.status == StepStatus::Unknown {
            return self;
        }
        let message = intent.sent().sentence(&step.name, &[]);
        let ending = Self::without_output(StepStatus::Unknown, EFFECT_UNKNOWN, message);
        let stops = (step.on_error == OnError::Stop).then_some(StopReason::StepFailed);
        Self { stops: self.stops.or(stops), ..ending }
    }

    /// A step that may have acted, and of which no more can be found out.
    pub(crate) fn in_doubt(step: &PlanStep, intent: &Intent) -> Self {
        Self::without_output(StepStatus::NotRun, EFFECT_UNKNOWN, String::new())
            .unknown(step, intent)
    }

    /// The step was to send the same again, and would send something else now.
    pub(crate) fn changed(step: &PlanStep, intent: &Intent) -> Self {
        let mut ending = Self::in_doubt(step, intent);
        if let Some(message) = &mut ending.message {
            message.push_str(
                " It was to be sent again; nothing was, because the step would send something else now.",
            );
        }
        ending
    }

    /// A second call that failed says nothing of the first, whose outcome was unknown.
    pub(crate) fn like_before(self) -> Self {
        let failure = self.message.unwrap_or_default();
        let code = self.code.unwrap_or_default();
        let message =
            format!("what was sent before has no known outcome; sent again: {code}: {failure}");
        Self {
            status: StepStatus::Unknown,
            code: Some(EFFECT_UNKNOWN.to_owned()),
            message: Some(message),
            ..self
        }
    }

    /// A failure with which the run goes on, and a step that a gate held back, are told like what could not be read, where a model
    /// or whoever signs would miss the result: an argument that need not be given is left out without it. Nothing is told of facts
    /// that were looked for and that nothing shows: nobody relies on what the model wrote there.
    pub(crate) fn with_missing_result(self, plan: &Plan, step: &PlanStep) -> Self {
        if plan.is_beside_the_answer(step) {
            return Self { warnings: None, ..self };
        }
        if self.warnings.is_some() {
            return self;
        }
        let code = self.code.as_deref().unwrap_or_default();
        let missing = match self.status {
            StepStatus::Failed if self.stops.is_none() => plan.told_of_failed(step, code),
            StepStatus::NotRun if HELD_BACK.contains(&code) => {
                let by = step.guard.as_deref().and_then(|guard| plan.step(guard)).unwrap_or(step);
                plan.told_of_held_back(step, by, self.message.as_deref().unwrap_or_default())
            }
            _ => None,
        };
        Self { warnings: missing.map(Box::new), ..self }
    }

    /// The run ends with it, whatever its author said.
    pub(crate) fn stopping(self) -> Self {
        Self { stops: Some(StopReason::StepFailed), ..self }
    }

    /// Whether nothing but its outcome is written.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self.status, StepStatus::Done | StepStatus::Skipped)
            && self.stops.is_none()
            && self.warnings.is_none()
    }

    /// Writes outcome, event and, if the run ends with it, the stop. Answers with what stands.
    pub(crate) async fn record(
        self,
        runs: &RunStore,
        event: &StepEvent,
        started: Timestamp,
    ) -> Result<Envelope, StepError> {
        let recorded = self.recorded(runs, event, started).await?;
        Ok(Envelope::from(&recorded.outcome))
    }

    /// The same, with all that stands.
    pub(crate) async fn recorded(
        self,
        runs: &RunStore,
        event: &StepEvent,
        started: Timestamp,
    ) -> Result<Recorded, StepError> {
        let at = Timestamp::now();
        let took_ms = u64::try_from(at.duration_since(started).as_millis()).unwrap_or_default();
        let count = self.count.or_else(|| self.output.get("count").and_then(Value::as_u64));
        let message = self.message.map(cut);
        let stop = self.stops.map(|reason| Stop {
            reason,
            step: Some(event.step.clone()),
            by: None,
            code: None,
            message: message.clone().unwrap_or_default(),
            at,
        });
        let kind = EventKind::StepEnded {
            status: self.status,
            count,
            code: self.code.clone(),
            message: message.clone(),
            took_ms,
            model: self.model.clone(),
        };
        // What waits for a lost step stays open: the next attempt may find the lost one done. Finishing the run closes it.
        let stays_open = self.code.as_deref() == Some(UPSTREAM_LOST);
        let outcome = StepOutcome {
            step: event.step.clone(),
            status: self.status,
            input_hash: self.input_hash,
            output: self.output,
            model: self.model,
            count,
            code: self.code,
            message,
            verdict: self.verdict,
            approval: None,
            attempt: event.attempt,
            at,
        };
        if stays_open {
            return Ok(Recorded { outcome, is_new: false });
        }
        let record = Event { step: event.step.clone(), attempt: event.attempt, n: 9, at, kind };
        let warnings = self.warnings.as_deref();
        let end_of_turn = self.end_of_turn.as_deref();
        let consequence = Consequence { stop: stop.as_ref(), warnings, end_of_turn };
        let ended = persist(runs, event, &outcome, &record, consequence).await;
        // Nothing came to the table, such as where the output could not be kept.
        if let Some(end) = end_of_turn.and_then(LeftEnd::take) {
            runs.end_turn_apart(&event.run, &end).await;
        }
        match ended? {
            Ended::Now => Ok(Recorded { outcome, is_new: true }),
            Ended::Before(stands) => Ok(Recorded { outcome: *stands, is_new: false }),
            Ended::Superseded(now) => Err(StepError::Superseded { attempt: event.attempt, now }),
        }
    }
}

/// The end of a step whose author wants none of its warnings. That a model wrote the output is told, and is no reason to stop:
/// its author asked for it.
fn stopped_by_warnings(step: &PlanStep, output: &Value) -> Option<StepEnd> {
    let found = warnings_of(step, output, None).filter(|_| step.on_warning == OnWarning::Stop)?;
    let told = StepWarnings { first: warning_sentences(output, TOLD), ..found };
    let error = ActionError::terminal("WARNINGS_FOUND", told.sentence());
    Some(StepEnd::failed(step, &error).stopping())
}

/// How often an outcome is written again after the table did not take it: what was done must not be forgotten for a
/// conflict that settles within a second.
const TRIES: u32 = 5;

async fn persist(
    runs: &RunStore,
    event: &StepEvent,
    outcome: &StepOutcome,
    record: &Event,
    consequence: Consequence<'_>,
) -> Result<Ended, StepError> {
    let mut pause = std::time::Duration::from_millis(100);
    for _ in 1..TRIES {
        match runs.end_step(&event.run, outcome, record, consequence).await {
            Err(error) if error.class() == Class::Retryable => {
                tokio::time::sleep(pause.mul_f64(share())).await;
            }
            ended => return Ok(ended?),
        }
        pause *= 2;
    }
    Ok(runs.end_step(&event.run, outcome, record, consequence).await?)
}

/// A share of a pause, from a half to the whole: steps of one stage that collided do not do so again.
fn share() -> f64 {
    let moment = Timestamp::now().subsec_nanosecond().rem_euclid(1_000_000);
    0.5 + f64::from(moment) / 2_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_cut_ends_with_a_mark_and_keeps_within_the_limit() {
        let whole = "é".repeat(MAX_MESSAGE);
        assert_eq!(cut(whole.clone()), whole);
        let message = cut(format!("{whole}!"));
        assert_eq!(message.chars().count(), MAX_MESSAGE);
        assert_eq!(message.strip_suffix('…'), Some("é".repeat(MAX_MESSAGE - 1).as_str()));
    }
}
