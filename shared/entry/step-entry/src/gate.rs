//! What a gate shows and what it signs; the same preparation as the steps behind it.

use countersign_approval::{Kind, Subject};
use countersign_failure::Failure;
use countersign_lambda_entry::Invocation;
use countersign_plan::{ForEach, Gate, OnError, PlanStep, StepKind};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_run::{Head, StepStatus, Verdict};
use countersign_store_runs::StepView;
use countersign_wiring::{Condition, Reference, Scope, Template, render};
use serde_json::Value;

use crate::context::Context;
use crate::dry_run;
use crate::earlier;
use crate::error::StepError;
use crate::event::StepEvent;
use crate::for_each;
use crate::prepare::prepare;
use crate::protocol::look;
use crate::signature::{NoEffect, StepCalls, calls_of, one_call};
use crate::step_end::StepEnd;
use crate::unknown::{unknown_calls, what_happened};
use crate::upstream::Upstream;
use crate::warned::SHOWN;

/// What people are to be asked.
#[derive(Debug, Clone)]
pub struct GateAsk {
    /// The head of the run.
    pub head: Head,
    /// The step: a gate, or a tool that needs a signature of its own.
    pub step: PlanStep,
    /// Zero at first; one more each time the step was in doubt.
    pub round: u32,
    /// The rules it is decided by: the gate's own, or of a step that asks for itself those of the gate that guards it.
    pub gate: Option<Gate>,
    /// Whether something behind it cannot be taken back.
    pub irreversible: bool,
    /// What the system has to say to those who sign.
    pub remarks: Vec<String>,
    /// The question.
    pub prompt: String,
    /// All that `preview_from` names; null when it names nothing.
    pub preview: Value,
    /// What is signed.
    pub subject: Subject,
    /// The steps of the run's plan with their stages, for the picture: (name, kind) per stage.
    pub stages: Vec<Vec<(String, StepKind)>>,
}

/// What `gate-open` does with a step.
#[derive(Debug)]
pub enum Asked {
    /// Nothing: it is over, or must not run. The verdict is what the machine goes on with.
    Settled(Verdict),
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
        return Ok(Asked::Settled(own.verdict.unwrap_or(Verdict::Closed)));
    }
    // Whoever left the mark may still be at it: what came of it is not unknown yet.
    if view.intent.as_ref().is_some_and(|intent| intent.is_leased(invocation.now)) {
        return Err(StepError::Busy(step.name.clone()));
    }
    let covered = covered(&view, step);
    let upstream = Upstream::read(&context.runs, &view.head, step, &covered).await?;
    let blocked = upstream.blocked(step);
    let scope = upstream.scope(
        &view.head,
        &view.plan,
        &std::iter::once(step).chain(covered.iter().copied()).collect::<Vec<_>>(),
    );
    let ending = if let Some(stop) = &view.head.stop {
        let message = format!("the run is ending: {}", stop.message);
        Some(StepEnd::without_output(StepStatus::NotRun, "RUN_STOPPED", message))
    } else if let Some(blocked) = blocked {
        Some(StepEnd::without_output(StepStatus::NotRun, blocked.code, blocked.message))
    } else if !holds(step, &scope) {
        let message = "its condition does not hold".to_owned();
        Some(StepEnd::without_output(StepStatus::Skipped, "CONDITION_FALSE", message))
    } else if view.head.dry_run.is_some() {
        Some(dry_run::unasked(step, &scope))
    } else {
        None
    };
    if let Some(ending) = ending {
        let ending = told(context, &view, step, ending).await?;
        ending.record(&context.runs, event, invocation.now).await?;
        return Ok(Asked::Settled(Verdict::Closed));
    }
    match step.kind {
        StepKind::Gate => gate(context, event, &view, step, &covered, &scope, invocation).await,
        StepKind::Tool | StepKind::GatedTool => {
            tool(context, event, &view, step, &scope, invocation).await
        }
    }
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

fn holds(step: &PlanStep, scope: &Scope) -> bool {
    step.condition
        .as_deref()
        .is_none_or(|text| Condition::parse(text).is_ok_and(|condition| condition.holds(scope)))
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
    let mut effects = Vec::new();
    let mut left_out = Vec::new();
    let mut empty = Vec::new();
    let mut remarks = Vec::new();
    let (going, skipped): (Vec<&PlanStep>, Vec<&PlanStep>) =
        covered.iter().copied().partition(|step| holds(step, scope));
    for step_behind in going {
        match known_calls(context, view, step_behind, scope).await {
            Ok(known) => {
                remarks.extend(known.remarks);
                match known.calls {
                    Some(calls) => effects.push(calls.signed),
                    None => empty.push(&step_behind.name),
                }
            }
            Err(NoEffect::Step(error)) => return Err(error),
            Err(NoEffect::Failed(error)) => {
                left_out.push((step_behind.on_error, cannot_be_sent(step_behind, &error)));
            }
        }
    }
    if let Some(error) = unaskable(&left_out, effects.is_empty()) {
        StepEnd::failed(step, error)
            .stopping()
            .record(&context.runs, event, invocation.now)
            .await?;
        return Ok(Asked::Settled(Verdict::Closed));
    }
    remarks.extend(left_out.into_iter().map(|(_, error)| error.message));
    remarks.extend(skipped.iter().map(|step| condition_is_false(step)));
    let behind = |other: &&PlanStep| {
        other.irreversible && other.guard.as_deref() == Some(step.name.as_str())
    };
    let signed: Vec<String> = effects.iter().map(|of_step| of_step.step.clone()).collect();
    let later = |other: &&PlanStep| {
        let is_known = signed.contains(&other.name)
            || empty.contains(&&other.name)
            || skipped.iter().any(|step| step.name == other.name);
        behind(other) && !is_known
    };
    let subject = Subject {
        plan_seal: view.head.seal.clone().unwrap_or_default(),
        effects,
        later: view.plan.steps.iter().filter(later).map(|step| step.name.clone()).collect(),
        warnings: context.runs.warnings(&view.head, SHOWN).await?,
        ..Subject::of(Kind::Step)
    };
    Ok(Asked::Ask(Box::new(GateAsk {
        head: view.head.clone(),
        round: 0,
        prompt: filled(&asked.prompt, scope),
        preview,
        irreversible: view.plan.steps.iter().any(|step| behind(&step)),
        remarks,
        subject,
        stages: picture(view),
        gate: Some(asked),
        step: step.clone(),
    })))
}

/// Why nobody is asked: a step that ends the run when it fails cannot be sent, or nothing that is to be signed can.
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
fn condition_is_false(step: &PlanStep) -> String {
    let condition = step.condition.as_deref().unwrap_or_default();
    format!("`{}` will be skipped: its condition `{condition}` does not hold.", step.name)
}

/// What a step is going to send.
pub(crate) struct Known {
    /// As it will itself compute it; none when there is nothing to send.
    pub(crate) calls: Option<StepCalls>,
    /// How the step ends when there is nothing to send.
    ending: Option<StepEnd>,
    /// What those who sign are told of it.
    remarks: Vec<String>,
}

pub(crate) async fn known_calls(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    scope: &Scope<'_>,
) -> Result<Known, NoEffect> {
    let contract = context.registry.get(&step.action);
    let contract =
        contract.ok_or_else(|| NoEffect::Step(StepError::NoHandler(step.action.clone())))?;
    if let Some(each) = &step.for_each {
        return known_list(context, view, step, each, contract, scope).await;
    }
    let prepared = prepare(step, contract, scope).map_err(|problems| {
        NoEffect::Failed(ActionError::terminal("STEP_INPUT_INVALID", problems.join("; ")))
    })?;
    let head = &view.head;
    let ending = earlier::ending(context, head, step, &prepared).await.map_err(NoEffect::Step)?;
    if let Some(ending) = ending {
        let message = ending.message.as_deref().unwrap_or_default();
        let remarks = vec![format!("`{}`: {message}", step.name)];
        return Ok(Known { calls: None, ending: Some(ending), remarks });
    }
    let calls = one_call(context, head, step, &prepared).await?;
    Ok(Known { calls: Some(calls), ending: None, remarks: Vec::new() })
}

async fn known_list(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    each: &ForEach,
    contract: &Contract,
    scope: &Scope<'_>,
) -> Result<Known, NoEffect> {
    let head = &view.head;
    let list = for_each::Calls::of(context, head, step, each, contract, scope).await?;
    let remarks = earlier::remarks(&context.runs, head, step, &list.before).await;
    let remarks = remarks.map_err(NoEffect::Step)?;
    if list.left.is_empty() {
        let ending = Some(for_each::nothing_to_do(step, &list.before));
        return Ok(Known { calls: None, ending, remarks });
    }
    let calls = calls_of(context, head, step, &list.left).await?;
    let calls = for_each::unrecorded(context, view, step, calls).await.map_err(NoEffect::Step)?;
    Ok(Known { calls: Some(calls), ending: None, remarks })
}

async fn settled(
    ending: StepEnd,
    context: &Context,
    event: &StepEvent,
    invocation: &Invocation,
) -> Result<Asked, StepError> {
    ending.record(&context.runs, event, invocation.now).await?;
    Ok(Asked::Settled(Verdict::Closed))
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
            return Ok(Asked::Ask(Box::new(what_happened(view, step, calls))));
        }
        // An earlier version sent it, and left nothing that people could be asked about.
        if step.for_each.is_none() {
            return settled(StepEnd::in_doubt(step, intent), context, event, invocation).await;
        }
    }
    let (of_step, remarks) = match known_calls(context, view, step, scope).await {
        Ok(Known { calls: Some(calls), remarks, .. }) => (calls, remarks),
        Ok(Known { ending, .. }) => {
            let ending = ending.unwrap_or_else(|| for_each::nothing_to_do(step, &[]));
            let ending = told(context, view, step, ending).await?;
            return settled(ending, context, event, invocation).await;
        }
        Err(NoEffect::Step(error)) => return Err(error),
        Err(NoEffect::Failed(error)) => {
            let ending = told(context, view, step, StepEnd::failed(step, &error)).await?;
            return settled(ending, context, event, invocation).await;
        }
    };
    // Every call was made, and the step was lost before it said so: it goes on to its end.
    if of_step.signed.texts.is_empty() {
        return Ok(Asked::Settled(Verdict::Approved));
    }
    let subject = Subject {
        plan_seal: view.head.seal.clone().unwrap_or_default(),
        effects: vec![of_step.signed],
        warnings: context.runs.warnings(&view.head, SHOWN).await?,
        ..Subject::of(Kind::Tool)
    };
    Ok(Asked::Ask(Box::new(GateAsk {
        head: view.head.clone(),
        round: 0,
        prompt: format!("`{}` cannot be taken back. Send exactly this?", step.name),
        preview: Value::Null,
        irreversible: true,
        remarks,
        subject,
        stages: picture(view),
        gate: guarding(view, step),
        step: step.clone(),
    })))
}

/// The rules a step that asks for itself is decided by: those of the gate that guards it. It may ask nobody else, and no
/// less surely, than the gate would have.
pub(crate) fn guarding(view: &StepView, step: &PlanStep) -> Option<Gate> {
    let name = step.covered_by.as_ref().or(step.guard.as_ref())?;
    let gate = view.plan.step(name)?.gate.clone()?;
    Some(Gate { preview_from: None, ..gate })
}

/// The prompt with its references filled in; one that leads nowhere reads as a dash.
pub(crate) fn filled(prompt: &str, scope: &Scope) -> String {
    let Ok(template) = Template::parse(prompt) else { return prompt.to_owned() };
    template
        .parts()
        .iter()
        .map(|part| match part {
            countersign_wiring::Part::Text(text) => text.clone(),
            countersign_wiring::Part::Reference(reference, _) => {
                reference.value(scope).map_or_else(|| "–".to_owned(), |value| render(&value))
            }
        })
        .collect()
}

pub(crate) fn picture(view: &StepView) -> Vec<Vec<(String, StepKind)>> {
    let stages = countersign_plan::stages(&view.plan).unwrap_or_default();
    stages
        .iter()
        .map(|stage| stage.iter().map(|step| (step.name.clone(), step.kind)).collect())
        .collect()
}
