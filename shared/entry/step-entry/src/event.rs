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
    /// Set when one call that the model asked for is to be made, instead of asking the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ToolPlace>,
}

impl StepEvent {
    /// What its model has asked for, as far as it has to be read; `step` where the plan is known.
    pub(crate) fn asked(&self, step: Option<&PlanStep>) -> ReadAsked {
        let has_tools = step.is_some_and(|step| step.tools.is_some());
        match self.call {
            Some(ToolPlace { turn, call }) => ReadAsked::Call { turn, call },
            None if has_tools || self.ran > 0 => ReadAsked::Turns(self.ran),
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

/// `{"status": "tools", "turn": 1, "calls": [{"call": 1, "tool": "search_web"}]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename = "tools")]
pub struct AsksTools {
    /// The turn.
    pub turn: u32,
    /// The calls to be made; none when all of them were refused.
    pub calls: Vec<ToolToCall>,
}

/// A call to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolToCall {
    /// The turn, from 1.
    pub turn: u32,
    /// Which of its calls, from 1.
    pub call: u32,
    /// The tool: the machine looks up who hosts it among those of the sealed plan.
    pub tool: String,
}

impl AsksTools {
    pub(crate) fn of(turn: u32, calls: Vec<(u32, String)>) -> Self {
        let calls = calls.into_iter().map(|(call, tool)| ToolToCall { turn, call, tool });
        Self { turn, calls: calls.collect() }
    }
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
        let asks = Answer::Asks(AsksTools::of(2, vec![(1, "search_web".to_owned())]));
        let calls = json!([{ "turn": 2, "call": 1, "tool": "search_web" }]);
        assert_eq!(json!(asks), json!({ "status": "tools", "turn": 2, "calls": calls }));
    }
}
