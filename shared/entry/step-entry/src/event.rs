//! What the state machine sends to a step, and what it gets back: ids and a status, never data.

use countersign_plan::PlanStep;
use countersign_run::{RunId, StepStatus};
use countersign_store_runs::{ReadAsked, StepOutcome};
use serde::{Deserialize, Serialize};

/// The event of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepEvent {
    /// The run.
    pub run: RunId,
    /// The step's name in the plan.
    pub step: String,
    /// The execution: 1, 2, …
    pub attempt: u32,
    /// The seal the execution was started with.
    pub seal: String,
    /// The steps that the same invocation carries out behind it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<String>,
    /// How many of these steps, the first included, earlier invocations have seen to in this execution.
    #[serde(default)]
    pub done: usize,
    /// Of a step whose model asks for tools: the last turn whose calls the machine has seen to in this execution.
    #[serde(default)]
    pub ran: u32,
    /// How many calls its model asked for in each turn so far. None of an execution of the machine before the one that passes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_counts: Option<Vec<u32>>,
    /// Set when a call that the model asked for is to be made, instead of asking the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ToolPlace>,
    /// The calls of the same turn that the same invocation makes beside it, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<u32>,
}

impl StepEvent {
    /// The event of a step by itself, at its beginning.
    #[must_use]
    pub const fn new(run: RunId, step: String, attempt: u32, seal: String) -> Self {
        Self {
            run,
            step,
            attempt,
            seal,
            then: Vec::new(),
            done: 0,
            ran: 0,
            call_counts: None,
            call: None,
            also: Vec::new(),
        }
    }

    /// The turn whose calls are to be made, and these calls; none where the model is asked.
    pub(crate) fn calls(&self) -> Option<(u32, Vec<u32>)> {
        let ToolPlace { turn, call } = self.call?;
        Some((turn, [call].into_iter().chain(self.also.iter().copied()).collect()))
    }

    /// What its model has asked for, as far as it has to be read; `step` where the plan is known, and the calls that are to be made.
    pub(crate) fn asked<'a>(
        &'a self,
        step: Option<&PlanStep>,
        calls: Option<&'a (u32, Vec<u32>)>,
    ) -> ReadAsked<'a> {
        let has_tools = step.is_some_and(|step| step.tools.is_some());
        match calls {
            Some((turn, calls)) => ReadAsked::Calls { turn: *turn, calls },
            None if has_tools || self.ran > 0 => ReadAsked::Turns {
                kept: self.ran,
                calls: self.call_counts.as_deref().unwrap_or_default(),
            },
            None => ReadAsked::Nothing,
        }
    }
}

/// Which call of a model it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolPlace {
    /// The turn, from 1.
    pub turn: u32,
    /// Which of its calls, from 1.
    pub call: u32,
}

/// The answer of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// What became of it.
    pub status: StepStatus,
    /// How many records came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl From<&StepOutcome> for Envelope {
    fn from(outcome: &StepOutcome) -> Self {
        Self { status: outcome.status, count: outcome.count }
    }
}

/// What a tool Lambda answers the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The step is over.
    Over(Envelope),
    /// It has calls left, or steps behind it, and no time: invoke it again.
    More(More),
    /// Its model asks for tools: have them called, and invoke it again.
    Asks(AsksTools),
}

/// `{"status": "tools", "turn": 1, "call_counts": [2], "calls": [{"turn": 1, "call": 1, "tool": "search_web", "also": [2]}]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename = "tools")]
pub struct AsksTools {
    /// The turn.
    pub turn: u32,
    /// How many calls each turn so far has: the machine passes it on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call_counts: Vec<u32>,
    /// The calls to be made; none when all of them were refused.
    pub calls: Vec<ToolToCall>,
}

/// A call to be made, and those that are made in the same invocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolToCall {
    /// The turn, from 1.
    pub turn: u32,
    /// Which of its calls, from 1.
    pub call: u32,
    /// The tool: the machine looks up who hosts it among those of the sealed plan.
    pub tool: String,
    /// Other calls of the turn by the same function.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<u32>,
}

impl Answer {
    /// So many of the steps are seen to, and there are more.
    pub(crate) const fn more(done: usize) -> Self {
        Self::More(More { done: Some(done) })
    }
}

/// `{"status": "more"}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(tag = "status", rename = "more")]
pub struct More {
    /// Of steps that follow each other, how many are seen to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<usize>,
}

impl From<Envelope> for Answer {
    fn from(envelope: Envelope) -> Self {
        Self::Over(envelope)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_machine_reads_the_status_of_every_answer() {
        assert_eq!(json!(Answer::More(More::default())), json!({ "status": "more" }));
        assert_eq!(json!(Answer::more(3)), json!({ "status": "more", "done": 3 }));
        let over = Answer::from(Envelope { status: StepStatus::Done, count: Some(3) });
        assert_eq!(json!(over), json!({ "status": "done", "count": 3 }));
        let call = |also| ToolToCall { turn: 2, call: 1, tool: "search_web".to_owned(), also };
        let asks = |call_counts, also| AsksTools { turn: 2, call_counts, calls: vec![call(also)] };
        let calls = json!([{ "turn": 2, "call": 1, "tool": "search_web" }]);
        let alone = Answer::Asks(asks(Vec::new(), Vec::new()));
        assert_eq!(json!(alone), json!({ "status": "tools", "turn": 2, "calls": calls }));
        let calls = json!([{ "turn": 2, "call": 1, "tool": "search_web", "also": [3] }]);
        let expect = json!({ "status": "tools", "turn": 2, "call_counts": [1, 3], "calls": calls });
        assert_eq!(json!(Answer::Asks(asks(vec![1, 3], vec![3]))), expect);
    }
}
