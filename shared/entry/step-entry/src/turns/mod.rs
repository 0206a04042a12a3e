//! Steps whose model may ask for tools, turn by turn.
//!
//! One invocation is one turn: the model is asked, and what it asks for is kept before anything is done for it. The machine then
//! has the tools called by the Lambdas that host them ([`tool_call`], those of one Lambda [`together`]), and comes back with the
//! number of the turn whose calls it has seen to. So a turn that was kept when an invocation begins is not asked again, and a call that has an outcome is not made
//! again, whatever dies in between ([ADR 31](../../../../../docs/adr/0031-a-model-asks-for-tools-turn-by-turn.md)).
//!
//! Requests to DynamoDB beside those of the action: a turn 2 (look with the turns, what came of their calls, and the rights; the turn), an
//! invocation with calls 2 (look with the turn, what came of the calls and the rights; end).

mod arguments;
pub(crate) mod ended;
mod found;
mod shown;
mod so_far;
mod together;
mod tool_call;

use std::sync::Arc;
use std::time::Duration;

use countersign_failure::Class;
use countersign_lambda_entry::Invocation;
use countersign_plan::{PlanStep, Tools};
use countersign_registry::action::{ActionError, Answered, Call, Handler};
use countersign_registry::actions::research_with_tools::{ASSIGNMENT, CONVERSATION};
use countersign_registry::talk::{PriorTurns, Said};
use countersign_run::{LeftEnd, ModelCallEnd, ModelUse, ToolAsk};
use countersign_store_runs::{ModelTurn, StepView};
use jiff::Timestamp;
use serde_json::Value;

use crate::attempts::{Attempts, within};
use crate::context::Context;
use crate::error::StepError;
use crate::event::{Answer, AsksTools, StepEvent};
use crate::protocol::Ready;
use crate::step_end::StepEnd;

use ended::ended;
use shown::Shown;
use so_far::SoFar;
use together::{alone, together};
pub(crate) use tool_call::run as call_tools;

/// Everything that a turn has to do with.
pub(crate) struct Turn<'a> {
    pub(crate) context: &'a Context,
    pub(crate) event: &'a StepEvent,
    pub(crate) view: &'a StepView,
    pub(crate) step: &'a PlanStep,
    pub(crate) tools: &'a Tools,
    pub(crate) invocation: &'a Invocation,
}

impl Turn<'_> {
    /// Asks the model once more, or has the machine see to what it asked for before.
    pub(crate) async fn run(&self, ready: Ready<'_>) -> Result<Answer, StepError> {
        let Self { context, event, view, step, tools, invocation } = *self;
        let action = context.action(&step.action);
        let action = action.ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
        let (mut call, hash) = ready.reading(&view.head, step, invocation);
        let end_of_turn = Arc::<LeftEnd>::default();
        call.asking.end = Some(Arc::clone(&end_of_turn));
        let mut so_far = SoFar::read(context, event, step, view.asked.as_ref()).await?;
        if let Some(turn) = so_far.open_turn() {
            if event.ran < turn.turn {
                let shown = Shown::of(given(&call), &so_far.talk(context).await?);
                return self.hand_out(&so_far, &turn, &shown).await;
            }
            so_far.give_up(context, event, &turn).await?;
        }
        let contracts = tools.contracts(&context.registry);
        let may_ask = so_far.rounds() < tools.rounds;
        let talk = PriorTurns { tools: contracts, turns: so_far.talk(context).await?, may_ask };
        let shown = Shown::of(given(&call), &talk.turns);
        let said = asked(action.as_ref(), call, &talk, step, invocation.remaining).await;
        let ending = match said {
            Ok(Said::Asks { asks, used }) => {
                return self.asks(&so_far, &shown, (asks, used), end_of_turn.take()).await;
            }
            Ok(Said::Answers(answered)) => self.answers(&so_far, hash, answered),
            Err(error) => StepEnd::failed(step, &error),
        };
        let ending = ending.with_missing_result(&view.plan, step);
        let ending = StepEnd { end_of_turn: Some(end_of_turn), ..ending };
        Ok(ending.record(&context.runs, event, invocation.now).await?.into())
    }

    /// Keeps what the model asks for. Another invocation may have been faster: what it kept stands.
    async fn asks(
        &self,
        so_far: &SoFar,
        shown: &Shown,
        (asks, used): (Vec<ToolAsk>, ModelUse),
        end_of_turn: Option<ModelCallEnd>,
    ) -> Result<Answer, StepError> {
        let (runs, run) = (&self.context.runs, &self.event.run);
        let (step, number) = (self.step.name.clone(), so_far.rounds() + 1);
        let turn = ModelTurn { step, turn: number, asks, used, at: Timestamp::now() };
        if runs.put_turn(run, &turn, end_of_turn.as_ref()).await? {
            return self.hand_out(so_far, &turn, shown).await;
        }
        let stands = SoFar::read(self.context, self.event, self.step, None).await?;
        let turn = stands.turn(number).ok_or_else(|| StepError::Busy(turn.step.clone()))?;
        self.hand_out(&stands, &turn, shown).await
    }

    /// Refuses what no function can be asked to do, and says which calls are to be made.
    async fn hand_out(
        &self,
        so_far: &SoFar,
        turn: &ModelTurn,
        shown: &Shown,
    ) -> Result<Answer, StepError> {
        let mut calls = Vec::new();
        for (call, ask) in so_far.left(turn) {
            let refused = arguments::refused(self.tools, call, ask);
            match refused.or_else(|| shown.refused(self.tools.named(&ask.tool)?, ask)) {
                Some(error) => {
                    tool_call::refuse(self.context, self.event, (turn, call), ask, &error).await?;
                }
                None => calls.push((call, ask.tool.clone())),
            }
        }
        let number = turn.turn;
        let (call_counts, calls) = match self.event.call_counts {
            Some(_) => (so_far.call_counts(turn), together(self.tools, number, calls)),
            None => (Vec::new(), alone(number, calls)),
        };
        Ok(Answer::Asks(AsksTools { turn: number, call_counts, calls }))
    }

    /// The end of the step. What its tools could not read is told like what it could not read itself.
    fn answers(&self, so_far: &SoFar, hash: String, answered: Answered) -> StepEnd {
        let used = so_far.used();
        let model = answered.model.map(|model| model.after(&used));
        ended(self.step, hash, Answered { model, ..answered }, so_far.outcomes())
    }
}

/// What the step was given and may act upon: its data and its task, and nothing of what models answered before.
fn given(call: &Call) -> impl Iterator<Item = &Value> {
    let of_models = [ASSIGNMENT, CONVERSATION];
    let inputs = call.inputs.iter().filter(move |(name, _)| !of_models.contains(&name.as_str()));
    inputs.map(|(_, value)| value).chain(call.params.values())
}

/// One turn, as often as the step's author allows and within its time.
async fn asked(
    action: &dyn Handler,
    mut call: Call,
    talk: &PriorTurns<'_>,
    step: &PlanStep,
    remaining: Duration,
) -> Result<Said, ActionError> {
    let mut attempts = Attempts::of(step, remaining);
    loop {
        call.remaining = attempts.time();
        let error = match within(call.remaining, action.turn(&call, talk)).await {
            Ok(said) => return Ok(said),
            Err(error) => error,
        };
        if error.class != Class::Retryable || !attempts.again().await {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests;
