//! Calls that a model asked for, by the Lambda that hosts their actions: each checked, permitted and recorded like a step.

use std::borrow::Cow;

use countersign_failure::{Class, Failure as _};
use countersign_lambda_entry::Invocation;
use countersign_plan::{PlanStep, Tool, Tools};
use countersign_registry::Contract;
use countersign_registry::action::{ActionError, Call};
use countersign_run::{StepStatus, ToolAsk, ToolCall};
use countersign_store_runs::{AskedRead, ModelTurn, StepView, ToolOutcome};
use countersign_wiring::Scope;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use jiff::Timestamp;
use serde_json::Value;

use super::arguments::{self, as_step, misfits, owners_alone};
use super::found::found;
use super::together::SIDE_BY_SIDE;
use crate::act::{Acted, act};
use crate::call::call;
use crate::context::Context;
use crate::error::StepError;
use crate::event::{Answer, Envelope, StepEvent};
use crate::prepare::prepare;
use crate::retry_key::attempt_key;
use crate::rights::refused;

/// Makes the calls of a turn that are to be made here, side by side, but for those that have been made.
///
/// # Errors
/// [`StepError`] when there is no outcome of one to record: the machine tries again, and then goes on without it.
pub(crate) async fn run(
    context: &Context,
    event: &StepEvent,
    (turn, numbers): &(u32, Vec<u32>),
    view: &StepView,
    step: &PlanStep,
    invocation: &Invocation,
) -> Result<Answer, StepError> {
    // A run that is ending makes no calls any more; the turn that comes next says so.
    if view.head.stop.is_some() {
        return Ok(envelope(StepStatus::NotRun));
    }
    let unknown = || StepError::UnknownStep(format!("{}, turn {turn}", step.name));
    let tools = step.tools.as_ref().ok_or_else(unknown)?;
    let Some(AskedRead::Calls(kept, before)) = &view.asked else { return Err(unknown()) };
    let is_over = |number: &u32| before.iter().any(|outcome| outcome.call.call == *number);
    let left: Vec<u32> = numbers.iter().copied().filter(|number| !is_over(number)).collect();
    let mut statuses: Vec<StepStatus> = before.iter().map(|outcome| outcome.call.status).collect();
    if !left.is_empty() {
        let kept = kept.as_ref().ok_or_else(unknown)?;
        let making = Making { context, event, view, step, tools, kept, invocation };
        statuses.extend(making.all(left).await?);
    }
    let failed = statuses.iter().copied().find(|status| *status != StepStatus::Done);
    Ok(envelope(failed.unwrap_or(StepStatus::Done)))
}

fn envelope(status: StepStatus) -> Answer {
    Envelope { status, count: None }.into()
}

struct Making<'a> {
    context: &'a Context,
    event: &'a StepEvent,
    view: &'a StepView,
    step: &'a PlanStep,
    tools: &'a Tools,
    kept: &'a ModelTurn,
    invocation: &'a Invocation,
}

/// A call that is over, and what it answered.
type Over = (ToolOutcome, Option<Value>);

impl Making<'_> {
    /// Makes the calls side by side, and writes what is over together as soon as it is. One of which nothing can be said keeps no
    /// other from being written.
    async fn all(&self, numbers: Vec<u32>) -> Result<Vec<StepStatus>, StepError> {
        let made =
            numbers.into_iter().map(|number| -> BoxFuture<'_, _> { Box::pin(self.over(number)) });
        let mut made = made.collect::<FuturesUnordered<_>>().ready_chunks(SIDE_BY_SIDE);
        let (mut statuses, mut unsaid) = (Vec::new(), None);
        while let Some(ready) = made.next().await {
            let mut ended = Vec::with_capacity(ready.len());
            for one in ready {
                match one {
                    Ok(one) => ended.push(one),
                    Err(error) => unsaid = Some(heavier(unsaid, error)),
                }
            }
            statuses.extend(ended.iter().map(|(outcome, _)| outcome.call.status));
            if !ended.is_empty() {
                let written = self.context.runs.end_tool_calls(&self.event.run, ended).await;
                if let Err(error) = written {
                    unsaid = Some(heavier(unsaid, error.into()));
                }
            }
        }
        unsaid.map_or(Ok(statuses), Err)
    }

    async fn over(&self, number: u32) -> Result<Over, StepError> {
        let at = usize::try_from(number).unwrap_or_default().checked_sub(1);
        let ask = at.and_then(|at| self.kept.asks.get(at));
        let unknown = || StepError::UnknownStep(format!("{}, call {number}", self.step.name));
        let ask = ask.ok_or_else(unknown)?;
        let made = self.one((self.kept.turn, number), ask).await?;
        let outcome =
            outcome(self.event, (self.kept, number), ask, (self.invocation.now, made.as_ref()));
        Ok((outcome, made.ok()))
    }

    /// What the action answers, or why it does not: both are told to the model.
    async fn one(
        &self,
        (turn, number): (u32, u32),
        ask: &ToolAsk,
    ) -> Result<Result<Value, ActionError>, StepError> {
        let Self { context, event, view, step, tools, invocation, .. } = *self;
        if let Some(error) = arguments::refused(tools, number, ask) {
            return Ok(Err(error));
        }
        let (Some(tool), Some(given)) = (tools.named(&ask.tool), ask.object()) else {
            return Err(StepError::UnknownStep(step.name.clone()));
        };
        let refused_here = owners_alone(&view.head, tool, &given);
        if let Some(error) = refused_here.or_else(|| misfits(tool, &given)) {
            return Ok(Err(error));
        }
        let (told, contract) = self.contracts(tool)?;
        let own = as_step(step, tool, &told, given);
        let prepared = match prepare(&own, contract, &Scope::new()) {
            Ok(prepared) => prepared,
            Err(problems) => {
                return Ok(Err(ActionError::terminal("STEP_INPUT_INVALID", problems.join("; "))));
            }
        };
        if let Some(error) = refused(context, view, &own, contract).await? {
            return Ok(Err(error));
        }
        let action = context.action(&own.action);
        let action = action.ok_or_else(|| StepError::NoHandler(own.action.clone()))?;
        let place = format!("{}/{turn}/{number}", step.name);
        let key = attempt_key(&event.run, &place, &prepared.hash);
        let made = call(&view.head, &own, prepared, invocation.now, invocation.remaining);
        let made = Call { idempotency_key: key, ..made };
        Ok(match act(action.as_ref(), made, &own, contract, invocation.remaining).await {
            Acted::Done(answered) => Ok(answered.output),
            Acted::Failed(error) => Err(error),
            Acted::Unknown => Err(ActionError::terminal(LOST, "the tool did not answer")),
        })
    }

    /// The contract of a tool as the model was told it, and that of its action. The plan was sealed with what may be one; what may
    /// not is not called in any case.
    fn contracts<'t>(
        &'t self,
        tool: &'t Tool,
    ) -> Result<(Cow<'t, Contract>, &'t Contract), StepError> {
        let registry = &self.context.registry;
        let both = tool.contract(registry).zip(registry.get(&tool.action));
        let is_test = self.view.head.dry_run.is_some();
        both.filter(|_| !is_test).ok_or_else(|| StepError::NoHandler(tool.action.clone()))
    }
}

/// Of two errors the one after which the machine tries again: calls that are over then stand.
fn heavier(known: Option<StepError>, other: StepError) -> StepError {
    match known {
        Some(known) if known.class() == Class::Retryable => known,
        _ => other,
    }
}

/// Records a call that is not made, or whose outcome never came.
pub(crate) async fn refuse(
    context: &Context,
    event: &StepEvent,
    of: (&ModelTurn, u32),
    ask: &ToolAsk,
    error: &ActionError,
) -> Result<(), StepError> {
    let outcome = outcome(event, of, ask, (Timestamp::now(), Err(error)));
    Ok(context.runs.end_tool_calls(&event.run, vec![(outcome, None)]).await?)
}

fn outcome(
    event: &StepEvent,
    (turn, number): (&ModelTurn, u32),
    ask: &ToolAsk,
    (started, made): (Timestamp, Result<&Value, &ActionError>),
) -> ToolOutcome {
    let at = Timestamp::now();
    let error = made.err();
    let message =
        |error: &ActionError| countersign_failure::chain(error).chars().take(MAX_MESSAGE).collect();
    let call = ToolCall {
        turn: turn.turn,
        call: number,
        tool: ask.tool.clone(),
        arguments: ToolCall::told(&ask.arguments),
        status: if made.is_ok() { StepStatus::Done } else { StepStatus::Failed },
        code: error.map(|error| error.code.to_owned()),
        message: error.map(message),
        took_ms: u64::try_from(at.duration_since(started).as_millis()).unwrap_or_default(),
        found: made.map(|output| found(ask, output)).unwrap_or_default(),
    };
    ToolOutcome::new(&turn.step, call, event.attempt, at)
}

/// Messages are for people and models and live in an item.
const MAX_MESSAGE: usize = 1_000;

/// The code of a call whose Lambda ended without a word, as often as it was tried.
pub(super) const LOST: &str = "TOOL_LOST";
