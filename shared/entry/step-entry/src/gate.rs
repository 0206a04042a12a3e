//! What a gate shows and what it signs; the same preparation as the steps behind it.

use countersign_approval::{Kind, StepEffects, Subject};
use countersign_failure::Failure;
use countersign_lambda_entry::Invocation;
use countersign_plan::{OnError, PlanStep, StepKind};
use countersign_registry::action::ActionError;
use countersign_run::{GateOutcome, Head, RUN_STOPPED, StepStatus};
use countersign_store_runs::StepView;
use countersign_wiring::{Reference, Scope};
use serde_json::Value;

use crate::condition::{Unmet, unmet};
use crate::context::Context;
use crate::error::StepError;
use crate::event::StepEvent;
use crate::for_each;
use crate::gate_ask::{GateAsk, filled, guarding, picture};
use crate::known_calls::{Known, known_calls};
use crate::not_asked;
use crate::protocol::look;
use crate::replay;
use crate::signature::NoEffect;
use crate::step_end::StepEnd;
use crate::unknown::{unknown_calls, what_happened};
use crate::upstream::Upstream;
use crate::warned::SHOWN;

/// What `gate-open` does with a step.
#[derive(Debug)]
pub enum Asked {
    /// Nothing: it is over, or must not run. The verdict is what the machine goes on with.
    Settled(GateOutcome),
    /// Ask people.
    Ask(Box<GateAsk>),
}

/// Prepares a gate.
///
/// # Errors
/// [`StepError`] when a table does not answer or the seal is broken.
pub async fn gate_ask(
    context: &Context,
    event: &StepEvent,
    invocation: &Invocation,
) -> Result<Asked, StepError> {
    let view = look(context, event).await?;
    let step =
        view.plan.step(&event.step).ok_or_else(|| StepError::UnknownStep(event.step.clone()))?;
    if let Some(own) = &view.own {
        return Ok(Asked::Settled(own.verdict.unwrap_or(GateOutcome::Closed)));
    }
    // Whoever left the mark may still be at it: what came of it is not unknown yet.
    if view.intent.as_ref().is_some_and(|intent| intent.is_leased(invocation.now)) {
        return Err(StepError::Busy(step.name.clone()));
    }
    let covered = covered(&view, step);
    let upstream =
        Upstream::read(&context.runs, &view.head, step, &covered, view.others.as_ref()).await?;
    let blocked = upstream.blocked(step);
    let scope = upstream.scope(
        &view.head,
        &view.plan,
        &std::iter::once(step).chain(covered.iter().copied()).collect::<Vec<_>>(),
    );
    let ending = if let Some(stop) = &view.head.stop {
        Some(StepEnd::not_run(RUN_STOPPED, stop.after()))
    } else if let Some(blocked) = blocked {
        Some(StepEnd::without_output(StepStatus::NotRun, blocked.code, blocked.message))
    } else if let Some(unmet) =
        unmet(step, &scope).filter(|unmet| skips(step, unmet) && !asks_again(&view, step))
    {
        Some(unmet.ending(step))
    } else if view.head.dry_run.is_some() {
        Some(replay::unasked(context, &view.head, step, &scope).await?)
    } else {
        unattended(&view, step)
    };
    if let Some(ending) = ending {
        let ending =
            told(context, &view, step, ending).await?.with_missing_result(&view.plan, step);
        let verdict = ending.verdict.filter(|_| ending.status == StepStatus::Approved);
        ending.record(&context.runs, event, invocation.now).await?;
        return Ok(Asked::Settled(verdict.unwrap_or(GateOutcome::Closed)));
    }
    let asked = match step.kind {
        StepKind::Gate => gate(context, event, &view, step, &covered, &scope, invocation).await?,
        StepKind::Tool | StepKind::GatedTool => {
            tool(context, event, &view, step, &scope, invocation).await?
        }
    };
    match asked {
        Asked::Ask(ask) if not_asked::holds(&view) => {
            not_asked::ending(&ask).record(&context.runs, event, invocation.now).await?;
            Ok(Asked::Settled(GateOutcome::NotAsked))
        }
        asked => Ok(asked),
    }
}

/// Whether a condition that does not hold skips the step. Of a gate it must be false: one that nobody can decide asks people,
/// since what stands behind it would go on without them.
fn skips(step: &PlanStep, unmet: &Unmet) -> bool {
    step.kind != StepKind::Gate || !unmet.is_undecided
}

/// Whether people were asked here, and wanted changes: what came of those is seen by people, whatever the condition says of it.
fn asks_again(view: &StepView, step: &PlanStep) -> bool {
    view.head.round_of(&step.name) > 0
}

fn why_asked(unmet: &Unmet) -> String {
    match unmet.is_undecided {
        true => format!(
            "You are asked because it could not be decided whether to ask: {}.",
            unmet.message
        ),
        false => format!(
            "Nobody would be asked here any more, because the condition {}. You are, because changes were asked for.",
            unmet.message
        ),
    }
}

/// The end of a gate that opens by itself (K-11).
fn unattended(view: &StepView, step: &PlanStep) -> Option<StepEnd> {
    let Head { context, approval_policy, .. } = &view.head;
    view.plan.opens_by_itself(step, *context, *approval_policy).then(|| {
        let message = "nobody was asked: `auto_approve` holds for this run, and nothing behind this gate is irreversible or to be confirmed";
        let ending = StepEnd::without_output(StepStatus::Approved, "AUTO_APPROVED", message.to_owned());
        StepEnd { verdict: Some(GateOutcome::Approved), ..ending }
    })
}

/// How a step ends that is not asked for any more: what it may have sent is told, whatever ended it.
async fn told(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    ending: StepEnd,
) -> Result<StepEnd, StepError> {
    Ok(match &view.intent {
        Some(_) if step.for_each.is_some() => for_each::closed(context, view, step, ending).await?,
        Some(intent) => ending.unknown(step, intent),
        None => ending,
    })
}

/// Records that a gate can never be opened, and ends the run with it.
///
/// # Errors
/// [`StepError`] when a table does not answer.
pub async fn gate_failed(
    context: &Context,
    event: &StepEvent,
    step: &PlanStep,
    error: &dyn Failure,
    invocation: &Invocation,
) -> Result<(), StepError> {
    let view = look(context, event).await?;
    // That nobody can be asked says nothing of what was sent before.
    let ending = told(context, &view, step, StepEnd::failed(step, error).stopping()).await?;
    ending.record(&context.runs, event, invocation.now).await.map(drop)
}

/// The irreversible steps the gate signs for.
fn covered<'a>(view: &'a StepView, step: &PlanStep) -> Vec<&'a PlanStep> {
    let names = step.gate.as_ref().map(|gate| gate.covers.as_slice()).unwrap_or_default();
    names.iter().filter_map(|name| view.plan.step(name)).collect()
}

async fn gate(
    context: &Context,
    event: &StepEvent,
    view: &StepView,
    step: &PlanStep,
    covered: &[&PlanStep],
    scope: &Scope<'_>,
    invocation: &Invocation,
) -> Result<Asked, StepError> {
    let asked = step.gate.clone().ok_or_else(|| StepError::UnknownStep(step.name.clone()))?;
    let preview = asked.preview_from.as_deref().and_then(|text| Reference::parse(text).ok());
    let preview = preview
        .and_then(|reference| reference.value(scope).map(std::borrow::Cow::into_owned))
        .unwrap_or_default();
    let (going, skipped): (Vec<&PlanStep>, Vec<&PlanStep>) =
        covered.iter().copied().partition(|step| unmet(step, scope).is_none());
    let ToSend { effects, left_out, empty, said } =
        ToSend::by(&going, context, view, scope).await?;
    let unaskable = unaskable(&left_out, effects.is_empty()).filter(|_| !asks_again(view, step));
    if let Some(error) = unaskable {
        let ending = StepEnd::failed(step, error).stopping();
        return settled(ending, context, event, invocation).await;
    }
    let mut remarks: Vec<String> = unmet(step, scope).as_ref().map(why_asked).into_iter().collect();
    remarks.extend(said);
    remarks.extend(left_out.into_iter().map(|(_, error)| error.message));
    remarks.extend(skipped.iter().filter_map(|step| will_be_skipped(step, scope)));
    let behind = |other: &&PlanStep| {
        other.irreversible && other.guard.as_deref() == Some(step.name.as_str())
    };
    let signed: Vec<String> = effects.iter().map(|of_step| of_step.step.clone()).collect();
    let later = |other: &&PlanStep| {
        let is_known = signed.contains(&other.name)
            || empty.contains(&other.name.as_str())
            || skipped.iter().any(|step| step.name == other.name);
        behind(other) && !is_known
    };
    let later = view.plan.steps.iter().filter(later).map(|step| step.name.clone()).collect();
    let subject = Subject { later, ..subject(context, view, Kind::Step, effects).await? };
    Ok(Asked::Ask(Box::new(GateAsk {
        head: view.head.clone(),
        round: view.head.round_of(&step.name),
        prompt: filled(&asked.prompt, scope),
        preview,
        irreversible: view.plan.steps.iter().any(|step| behind(&step)),
        requirement: view.plan.requirement_to_sign(step, &context.registry),
        remarks,
        subject,
        stages: picture(view),
        gate: Some(asked),
        step: step.clone(),
    })))
}

/// What the steps behind a gate are going to send.
#[derive(Default)]
struct ToSend<'a> {
    effects: Vec<StepEffects>,
    /// The steps that cannot send what they should, and why.
    left_out: Vec<(OnError, ActionError)>,
    /// The names of steps that have nothing to send.
    empty: Vec<&'a str>,
    /// What those who sign are told of the others.
    said: Vec<String>,
}

impl<'a> ToSend<'a> {
    async fn by(
        steps: &[&'a PlanStep],
        context: &Context,
        view: &StepView,
        scope: &Scope<'_>,
    ) -> Result<Self, StepError> {
        let mut all = Self::default();
        for step in steps {
            match known_calls(context, view, step, scope).await {
                Ok(known) => {
                    all.said.extend(known.remarks);
                    match known.calls {
                        Some(calls) => all.effects.push(calls.signed),
                        None => all.empty.push(&step.name),
                    }
                }
                Err(NoEffect::Step(error)) => return Err(error),
                Err(NoEffect::Failed(error)) => {
                    all.left_out.push((step.on_error, cannot_be_sent(step, &error)));
                }
            }
        }
        Ok(all)
    }
}

/// Why nobody would be asked: a step that ends the run when it fails cannot be sent, or nothing that is to be signed can.
fn unaskable(left_out: &[(OnError, ActionError)], nothing_left: bool) -> Option<&ActionError> {
    let ends = |(on_error, _): &&(OnError, ActionError)| *on_error == OnError::Stop || nothing_left;
    left_out.iter().find(ends).map(|(_, error)| error)
}

fn cannot_be_sent(step: &PlanStep, error: &ActionError) -> ActionError {
    ActionError {
        message: format!("`{}` cannot be sent: {}", step.name, error.message),
        ..error.clone()
    }
}

/// Everything that the condition of a covered step reads is known when its gate opens, so it stays false.
fn will_be_skipped(step: &PlanStep, scope: &Scope) -> Option<String> {
    unmet(step, scope)
        .map(|unmet| format!("`{}` will be skipped: its condition {}.", step.name, unmet.message))
}

/// What is signed: these effects of the sealed plan, and what could not be read before.
async fn subject(
    context: &Context,
    view: &StepView,
    kind: Kind,
    effects: Vec<StepEffects>,
) -> Result<Subject, StepError> {
    Ok(Subject {
        plan_seal: view.head.seal.clone().unwrap_or_default(),
        effects,
        warnings: context.runs.warnings(&view.head, SHOWN).await?,
        ..Subject::of(kind)
    })
}

async fn settled(
    ending: StepEnd,
    context: &Context,
    event: &StepEvent,
    invocation: &Invocation,
) -> Result<Asked, StepError> {
    ending.record(&context.runs, event, invocation.now).await?;
    Ok(Asked::Settled(GateOutcome::Closed))
}

async fn tool(
    context: &Context,
    event: &StepEvent,
    view: &StepView,
    step: &PlanStep,
    scope: &Scope<'_>,
    invocation: &Invocation,
) -> Result<Asked, StepError> {
    if let Some(intent) = &view.intent {
        let calls = unknown_calls(context, view, step, intent, scope).await?;
        if !calls.is_empty() {
            return Ok(Asked::Ask(Box::new(what_happened(context, view, step, calls))));
        }
        // An earlier version sent it, and left nothing that people could be asked about.
        if step.for_each.is_none() {
            return settled(StepEnd::in_doubt(step, intent), context, event, invocation).await;
        }
    }
    let (of_step, remarks) = match known_calls(context, view, step, scope).await {
        Ok(Known { calls: Some(calls), remarks, .. }) => (calls, remarks),
        Ok(Known { ending, before, .. }) => {
            let ending = match ending {
                Some(ending) => ending,
                None => for_each::nothing_to_do(context, step, &before).await?,
            };
            let ending = told(context, view, step, ending).await?;
            return settled(ending, context, event, invocation).await;
        }
        Err(NoEffect::Step(error)) => return Err(error),
        Err(NoEffect::Failed(error)) => {
            let ending = told(context, view, step, StepEnd::failed(step, &error)).await?;
            let ending = ending.with_missing_result(&view.plan, step);
            return settled(ending, context, event, invocation).await;
        }
    };
    // Every call was made, and the step was lost before it said so: it goes on to its end.
    if of_step.signed.texts.is_empty() {
        return Ok(Asked::Settled(GateOutcome::Approved));
    }
    let subject = subject(context, view, Kind::Tool, vec![of_step.signed]).await?;
    Ok(Asked::Ask(Box::new(GateAsk {
        head: view.head.clone(),
        round: 0,
        prompt: format!("`{}` cannot be taken back. Send exactly this?", step.name),
        preview: Value::Null,
        irreversible: true,
        requirement: view.plan.requirement_to_sign(step, &context.registry),
        remarks,
        subject,
        stages: picture(view),
        gate: guarding(view, step),
        step: step.clone(),
    })))
}
