//! Items as they are stored.

use countersign_approval::Digest;
use countersign_run::{
    EFFECT_UNKNOWN, Event, EventKind, GateOutcome, ModelUse, Sending, Sent, StepStatus,
};
use countersign_store_kit::Stored;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What came of a step. Written once, never changed.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutcome {
    /// The step.
    pub step: String,
    /// How it ended.
    pub status: StepStatus,
    /// SHA-256, hex, of the resolved action, inputs and params; empty when it did not get that far.
    pub input_hash: String,
    /// The output; null when there is none.
    pub output: Value,
    /// How many records came out.
    pub count: Option<u64>,
    /// The stable code of the error or reason.
    pub code: Option<String>,
    /// For people.
    pub message: Option<String>,
    /// How the gate ended, for gates.
    pub verdict: Option<GateOutcome>,
    /// The model that wrote the output.
    pub model: Option<ModelUse>,
    /// The approval request, for gates and signed steps.
    pub approval: Option<String>,
    /// The execution it happened in.
    pub attempt: u32,
    /// When.
    pub at: Timestamp,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OutcomeItem {
    pub step: String,
    pub status: StepStatus,
    pub input_hash: String,
    pub output: Stored,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<GateOutcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    pub attempt: u32,
    pub at: Timestamp,
    /// The first sentences about what it could not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warned: Vec<String>,
    /// Set when the step is carried out again: the execution that does it. The item then keeps earlier executions from writing,
    /// and is no outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopened: Option<u32>,
}

impl OutcomeItem {
    pub(crate) fn new(outcome: &StepOutcome, output: Stored) -> Self {
        Self {
            step: outcome.step.clone(),
            status: outcome.status,
            input_hash: outcome.input_hash.clone(),
            output,
            count: outcome.count,
            code: outcome.code.clone(),
            message: outcome.message.clone(),
            verdict: outcome.verdict,
            model: outcome.model.clone(),
            approval: outcome.approval.clone(),
            attempt: outcome.attempt,
            at: outcome.at,
            warned: Vec::new(),
            reopened: None,
        }
    }

    /// What takes its place while the step is carried out again in `attempt`.
    pub(crate) fn reopened(&self, attempt: u32) -> Self {
        Self {
            output: Stored::Item { json: Value::Null.to_string() },
            warned: Vec::new(),
            reopened: Some(attempt),
            ..self.clone()
        }
    }

    /// The item, unless the step is carried out again and has no outcome yet.
    pub(crate) fn standing(self) -> Option<Self> {
        self.reopened.is_none().then_some(self)
    }

    pub(crate) fn with_output(self, output: Value) -> StepOutcome {
        StepOutcome {
            step: self.step,
            status: self.status,
            input_hash: self.input_hash,
            output,
            count: self.count,
            code: self.code,
            message: self.message,
            verdict: self.verdict,
            model: self.model,
            approval: self.approval,
            attempt: self.attempt,
            at: self.at,
        }
    }
}

/// What references to a step see once it is over.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Its output.
    Output,
    /// That it was skipped, and why (F-147).
    Skipped(Value),
    /// How a gate was decided, also of a test.
    Decision(Value),
    /// Nothing: it failed or was not run.
    Nothing,
}

impl StepOutcome {
    /// What references to the step see.
    #[must_use]
    pub fn seen(&self) -> Seen {
        match (self.status, self.verdict) {
            (StepStatus::Done, None) => Seen::Output,
            (_, Some(verdict)) => Seen::Decision(json!({ "decision": verdict })),
            (StepStatus::Skipped, None) => {
                Seen::Skipped(json!({ "_skipped": true, "_reason": self.message }))
            }
            _ => Seen::Nothing,
        }
    }

    /// What is written of a step that may have sent something and never said what came of it.
    #[must_use]
    pub fn unknown(step: &str, sent: &Sent, attempt: u32, at: Timestamp) -> Self {
        Self {
            step: step.to_owned(),
            status: StepStatus::Unknown,
            input_hash: String::new(),
            output: Value::Null,
            count: None,
            code: Some(EFFECT_UNKNOWN.to_owned()),
            message: Some(sent.sentence(step, &[])),
            verdict: None,
            model: None,
            approval: sent.what.approval.clone(),
            attempt,
            at,
        }
    }
}

/// The mark an irreversible step leaves before it acts. An intent without an outcome means: it may have acted.
///
/// Releases write it in one form; a member that is added later needs a default. A mark that cannot be read stops its step
/// before anything is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The step.
    pub step: String,
    /// The hash of what it was about to do.
    pub input_hash: String,
    /// What it was about to send. Its call is 1, and more after each signature given in doubt.
    #[serde(flatten)]
    pub sending: Sending,
    /// The hash of its effect; marks of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf: Option<Digest>,
    /// Of a step over a list: the calls that people struck out, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<u32>,
    /// Of a step over a list whose rest was signed again: the numbers of the calls that were signed then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<u32>,
    /// Until when the invocation that left the mark may still act.
    pub lease_until: Timestamp,
    /// Whether the run ends when the step fails; then it ends when nobody knows, too.
    pub stops: bool,
    /// The execution.
    pub attempt: u32,
    /// When.
    pub at: Timestamp,
}

impl Intent {
    /// What was sent, as people are told.
    #[must_use]
    pub fn sent(&self) -> Sent {
        Sent { at: self.at, what: self.sending.clone() }
    }

    /// Whether the invocation that left it may still be acting.
    #[must_use]
    pub fn is_leased(&self, now: Timestamp) -> bool {
        now < self.lease_until
    }

    /// The same in the run's history.
    pub(crate) fn event(&self) -> Event {
        Event {
            step: self.step.clone(),
            attempt: self.attempt,
            // Before the end of the attempt, which is 8 or 9. All invocations of a list share one event.
            n: if self.sending.items > 0 { 1 } else { self.sending.call.min(7) },
            at: self.at,
            kind: EventKind::Sending(self.sending.clone()),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PlanItem {
    pub seal: String,
    pub plan: Stored,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RequestItem {
    pub inputs: Stored,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Stored>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook: Option<String>,
}

/// When the last successful run of a profile finished.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LastItem {
    pub finished_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Intent;

    #[test]
    fn k_49_a_stored_mark_is_read_by_every_later_release() {
        // As written: do not change what stands here, give new members a default.
        let stored = json!({
            "step": "pay", "input_hash": "00", "call": 1, "receipt": "rcpt_1", "approval": "appr_1",
            "target": "POST api.bank.example/payments", "key": "9f", "lease_until": "2026-03-04T05:06:12Z",
            "stops": true, "attempt": 1, "at": "2026-03-04T05:06:07Z",
        });
        let intent: Intent = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(&intent).unwrap(), stored);
    }

    #[test]
    fn k_49_a_mark_of_another_form_is_an_error_and_not_an_empty_one() {
        let other = json!({ "step": "pay", "input_hash": "00", "attempt": 1, "at": "2026-03-04T05:06:07Z" });
        assert!(serde_json::from_value::<Intent>(other).is_err());
    }
}
