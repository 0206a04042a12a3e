//! What a step's model has asked for so far, and what came of it.

use countersign_plan::PlanStep;
use countersign_registry::action::ActionError;
use countersign_registry::talk::{AskedTurn, ToolResult};
use countersign_run::{ModelUse, StepStatus, ToolAsk};
use countersign_store_runs::{AskedRead, ModelTurn, ToolOutcome};

use super::tool_call::{LOST, refuse};
use crate::context::Context;
use crate::error::StepError;
use crate::event::StepEvent;

/// The turns of a step in which its model asked for tools, and the calls that are over.
#[derive(Debug, Default)]
pub(crate) struct SoFar {
    pub(super) turns: Vec<ModelTurn>,
    pub(super) outcomes: Vec<ToolOutcome>,
}

impl SoFar {
    /// Reads it: two requests; none where all was read with the view of the step, and one less where its turns were, or where the
    /// model has asked for nothing.
    pub(crate) async fn read(
        context: &Context,
        event: &StepEvent,
        step: &PlanStep,
        asked: Option<&AskedRead>,
    ) -> Result<Self, StepError> {
        let (turns, outcomes) = match asked {
            Some(AskedRead::Turns(turns, outcomes)) => (turns.clone(), outcomes.clone()),
            _ => (context.runs.turns(&event.run, &step.name).await?, None),
        };
        let outcomes = match (outcomes, turns.as_slice()) {
            (Some(outcomes), _) => outcomes,
            // A call is made after its turn is kept.
            (None, []) => Vec::new(),
            (None, _) => context.runs.tool_outcomes(&event.run, &step.name).await?,
        };
        Ok(Self { turns, outcomes })
    }

    /// In how many turns the model asked for tools.
    pub(crate) fn rounds(&self) -> u32 {
        self.turns.last().map_or(0, |turn| turn.turn)
    }

    pub(crate) fn turn(&self, number: u32) -> Option<ModelTurn> {
        self.turns.iter().find(|turn| turn.turn == number).cloned()
    }

    pub(crate) fn outcomes(&self) -> &[ToolOutcome] {
        &self.outcomes
    }

    /// What the turns used.
    pub(crate) fn used(&self) -> Vec<ModelUse> {
        self.turns.iter().map(|turn| turn.used.clone()).collect()
    }

    /// How many calls each turn has, up to this one.
    pub(crate) fn call_counts(&self, last: &ModelTurn) -> Vec<u32> {
        let before = self.turns.iter().filter(|turn| turn.turn < last.turn);
        let counts = before.chain([last]).map(|turn| u32::try_from(turn.asks.len()));
        counts.map(|count| count.unwrap_or(u32::MAX)).collect()
    }

    /// The last turn, when some of its calls have no outcome.
    pub(crate) fn open_turn(&self) -> Option<ModelTurn> {
        self.turns.last().filter(|turn| self.left(turn).next().is_some()).cloned()
    }

    /// The calls of a turn that have no outcome, with their numbers.
    pub(crate) fn left<'t>(
        &'t self,
        turn: &'t ModelTurn,
    ) -> impl Iterator<Item = (u32, &'t ToolAsk)> {
        let calls = (1..).zip(&turn.asks);
        calls.filter(|(call, _)| self.outcome(turn.turn, *call).is_none())
    }

    fn outcome(&self, turn: u32, call: u32) -> Option<&ToolOutcome> {
        self.outcomes.iter().find(|one| (one.call.turn, one.call.call) == (turn, call))
    }

    /// Says of the calls of a turn that the machine has seen to and that have no outcome that they failed.
    pub(crate) async fn give_up(
        &mut self,
        context: &Context,
        event: &StepEvent,
        turn: &ModelTurn,
    ) -> Result<(), StepError> {
        let error = ActionError::terminal(LOST, "the tool did not answer");
        for (call, ask) in self.left(turn) {
            refuse(context, event, (turn, call), ask, &error).await?;
        }
        self.outcomes = context.runs.tool_outcomes(&event.run, &turn.step).await?;
        Ok(())
    }

    /// The conversation, as the handler of the model sees it.
    pub(crate) async fn talk(&self, context: &Context) -> Result<Vec<AskedTurn>, StepError> {
        let mut talk = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            let mut asks: Vec<(ToolAsk, ToolResult)> = Vec::with_capacity(turn.asks.len());
            for (call, ask) in (1..).zip(&turn.asks) {
                let result = result(context, self.outcome(turn.turn, call)).await?;
                asks.push((ask.clone(), result));
            }
            talk.push(AskedTurn { asks, used: turn.used.clone() });
        }
        Ok(talk)
    }
}

async fn result(context: &Context, outcome: Option<&ToolOutcome>) -> Result<ToolResult, StepError> {
    match outcome {
        Some(one) if one.call.status == StepStatus::Done => {
            Ok(ToolResult::Output(context.runs.tool_output(one).await?))
        }
        Some(one) => {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            Ok(ToolResult::Failed(text(&one.call.code), text(&one.call.message)))
        }
        None => Ok(ToolResult::Failed(LOST.to_owned(), String::new())),
    }
}
