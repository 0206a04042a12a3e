//! The protocol itself, for one call. What steps over a list share with it is here too.

use std::sync::Arc;

use countersign_approval::ports::Answered;
use countersign_lambda_entry::Invocation;
use countersign_plan::{Plan, PlanError, PlanStep, check_seal};
use countersign_registry::Contract;
use countersign_registry::action::{ActionError, Asking, Call, Permit, ReadList, Recheck, Rewrite};
use countersign_run::{Head, RUN_STOPPED, StepStatus, StepWarnings, Stop, StopReason};
use countersign_store_kit::Lookup;
use countersign_store_runs::{Intended, Intent, ReadWith, StepView};
use countersign_wiring::Scope;
use tokio::time::Instant;

use crate::act::{Acted, act};
use crate::again::{again, signature};
use crate::call::call;
use crate::condition::unmet;
use crate::context::Context;
use crate::earlier;
use crate::error::StepError;
use crate::event::StepEvent;
use crate::intent::{intent, sending};
use crate::known_end::{Unacted, known_end};
use crate::model_list;
use crate::not_asked;
use crate::prepare::{Prepared, prepare};
use crate::recheck::StillMay;
use crate::retry_key::retry_key;
use crate::rewrite::rewrite;
use crate::rights::{Started, go_by_view, may_go_by, refused};
use crate::sealed_plans::Known;
use crate::signature::{NoEffect, one_call};
use crate::step_end::StepEnd;
use crate::upstream::{Upstream, asked_for};
use crate::warned::{SHOWN, informed};

/// Reads the step's view and checks the seal that travelled in the execution.
pub(crate) async fn look(context: &Context, event: &StepEvent) -> Result<StepView, StepError> {
    let unknown = || StepError::UnknownRun(event.run.clone());
    let calls = event.calls();
    let view = if let Some(Known { plan, started }) = context.plans.get(&event.seal) {
        // A call that a model asks for has its own arguments.
        let step = plan.step(&event.step).filter(|_| event.call.is_none());
        let mut others = step.map(|step| asked_for(&plan, step)).unwrap_or_default();
        let behind = event.then.iter().map_while(|name| plan.step(name));
        for behind in behind.take_while(|step| may_go_by(context, step)) {
            others.extend(asked_for(&plan, behind));
            others.insert(&behind.name);
        }
        others.remove(event.step.as_str());
        let other_tables = beside(context, event, step, &started);
        let with = ReadWith {
            others: &others,
            asked: event.asked(step, calls.as_ref()),
            other_tables: &other_tables,
        };
        let view = context.runs.view_with(&event.run, &event.step, Arc::clone(&plan), with).await?;
        let mut view = view.ok_or_else(unknown)?;
        let now = Started::of(&view.head);
        if started != now {
            view.other_tables.clear();
            context.plans.restarted(&event.seal, now);
        }
        view
    } else {
        let asked = event.asked(None, calls.as_ref());
        let view = context.runs.view_and(&event.run, &event.step, asked).await?;
        let view = view.ok_or_else(unknown)?;
        check_seal(&view.plan, &event.seal).map_err(StepError::Seal)?;
        let known = Known { plan: Arc::clone(&view.plan), started: Started::of(&view.head) };
        context.plans.keep(&event.seal, known, view.plan_bytes);
        view
    };
    if event.attempt < view.head.attempt {
        return Err(StepError::Superseded { attempt: event.attempt, now: view.head.attempt });
    }
    if view.head.seal.as_deref() != Some(event.seal.as_str()) {
        return Err(StepError::Seal(PlanError::SealBroken));
    }
    if view.head.dry_run != view.plan.dry_run {
        return Err(StepError::Seal(PlanError::SealBroken));
    }
    Ok(view)
}

/// What is read with the view of the rights of whoever started the run, nothing for a step that needs them at another moment, or not
/// at all; and of the models that may be asked. A tool that a model asks for only reads.
fn beside(
    context: &Context,
    event: &StepEvent,
    step: Option<&PlanStep>,
    started: &Started,
) -> Vec<Lookup> {
    let is_read = |step: &PlanStep| {
        context.registry.get(&step.action).is_some_and(|contract| go_by_view(step, contract))
    };
    let mut wanted = match event.call.is_some() || step.is_some_and(is_read) {
        true => started.lookups(&context.rights),
        false => Vec::new(),
    };
    if step.is_some_and(|step| model_list::is_needed(context, step)) && !wanted.is_empty() {
        wanted.push(model_list::lookup(context));
    }
    wanted
}

#[expect(clippy::large_enum_variant, reason = "there is one a step, and it is not kept")]
pub(crate) enum Decided<'a> {
    End(StepEnd),
    Act(Box<Ready<'a>>),
}

/// A step that may act.
pub(crate) struct Ready<'a> {
    contract: &'a Contract,
    prepared: Prepared,
    /// When the rights of whoever started the run were read.
    rights_read: Instant,
    /// What it may send, when its effect cannot be taken back.
    permit: Option<(Permit, String)>,
    /// Which of its irreversible calls it makes; 0 when it makes none.
    call: u32,
    /// What allows it to make again a call whose outcome is unknown.
    again: Option<Answered>,
    /// What its model is to rewrite.
    rewrite: Option<Box<Rewrite>>,
    /// Which models may be asked.
    model_list: ReadList,
}

/// Whether a step may go on, by what came before it.
pub(crate) enum Begun<'a> {
    End(StepEnd),
    Go { contract: &'a Contract, scope: Scope<'a> },
}

/// What a step asks before it looks at its own arguments: whether the run goes on, what came before it, its condition.
pub(crate) async fn begin<'a>(
    context: &'a Context,
    view: &'a StepView,
    step: &PlanStep,
) -> Result<Begun<'a>, StepError> {
    if let Some(stop) = &view.head.stop
        && !failed_beside(&view.plan, stop, step)
    {
        return Ok(Begun::End(StepEnd::not_run(RUN_STOPPED, stop.after())));
    }
    let upstream =
        Upstream::read(&context.runs, &view.head, step, &[], view.others.as_ref()).await?;
    if let Some(blocked) = upstream.blocked(step) {
        return Ok(Begun::End(StepEnd::not_run(blocked.code, blocked.message)));
    }
    let gaps = upstream.gaps(step);
    let mut scope = upstream.scope(&view.head, &view.plan, &[step]);
    if let Some(unmet) = unmet(step, &scope) {
        return Ok(Begun::End(unmet.ending(step)));
    }
    // Behind the condition, which may ask whether there is a result.
    gaps.into_iter().for_each(|(name, gap)| scope.insert(name, gap));
    let contract = context.registry.get(&step.action);
    let contract = contract.ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
    if let Some(withheld) = not_asked::withheld(context, view, step, contract).await? {
        return Ok(Begun::End(withheld));
    }
    Ok(Begun::Go { contract, scope })
}

/// Whether a step acts, and with what; or how it ends without.
pub(crate) async fn decide<'a>(
    context: &'a Context,
    event: &StepEvent,
    view: &'a StepView,
    step: &PlanStep,
    invocation: &Invocation,
) -> Result<Decided<'a>, StepError> {
    let (contract, scope) = match begin(context, view, step).await? {
        Begun::End(ending) => return Ok(Decided::End(ending)),
        Begun::Go { contract, scope } => (contract, scope),
    };
    // An intent without an outcome is an unknown outcome: only people who say so allow to act again.
    let again = match &view.intent {
        Some(intent) => Some(again(context, event, step, intent).await?),
        None => None,
    };
    let prepared = match prepare(step, contract, &scope) {
        Ok(prepared) => prepared,
        Err(problems) => {
            let error = ActionError::terminal("STEP_INPUT_INVALID", problems.join("; "));
            return Ok(Decided::End(StepEnd::failed(step, &error)));
        }
    };
    let rights_read = Instant::now();
    if let Some(error) = refused(context, view, step, contract).await? {
        return Ok(Decided::End(StepEnd::failed(step, &error).stopping()));
    }
    if step.irreversible
        && let Some(ending) = earlier::ending(context, &view.head, step, &prepared).await?
    {
        return Ok(Decided::End(ending));
    }
    let rewrite = if contract.uses_llm { rewrite(context, &view.head, step).await? } else { None };
    let of = Unacted { contract, prepared: &prepared, is_rewritten: rewrite.is_some() };
    if let Some(ending) = known_end(context, &view.head, step, of, invocation).await? {
        return Ok(Decided::End(ending));
    }
    let model_list = model_list::found(context, view, step);
    let mut ready = Ready {
        contract,
        prepared,
        rights_read,
        permit: None,
        call: 0,
        again,
        rewrite,
        model_list,
    };
    if (step.irreversible || contract.irreversible)
        && let Some(ending) = ready.sign(context, event, view, step, invocation).await?
    {
        return Ok(Decided::End(ending));
    }
    Ok(Decided::Act(Box::new(ready)))
}

/// Whether the run ends for a step that stands beside this one: siblings of a stage finish, whichever begins first.
fn failed_beside(plan: &Plan, stop: &Stop, step: &PlanStep) -> bool {
    let failed = stop.step.as_deref().filter(|_| stop.reason == StopReason::StepFailed);
    let failed = failed.and_then(|name| plan.step(name));
    failed.is_some_and(|failed| failed.name != step.name && failed.after == step.after)
}

impl Ready<'_> {
    /// Finds the signature of exactly what is about to be sent, and writes the intent. An ending means: do not act.
    async fn sign(
        &mut self,
        context: &Context,
        event: &StepEvent,
        view: &StepView,
        step: &PlanStep,
        invocation: &Invocation,
    ) -> Result<Option<StepEnd>, StepError> {
        let signatures =
            context.signatures.as_ref().ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
        let calls = match one_call(context, &view.head, step, &self.prepared).await {
            Ok(calls) => calls,
            Err(NoEffect::Failed(error)) => return Ok(Some(StepEnd::failed(step, &error))),
            Err(NoEffect::Step(error)) => return Err(error),
        };
        let signature = match &self.again {
            None => {
                let found = signatures.signed(&event.run, &step.name).await?;
                let newest = calls.covered_by(&informed(view, step, found)).cloned();
                newest.ok_or_else(|| StepError::NeedsSignature(step.name.clone()))?
            }
            Some(again) => match signature(again, &calls) {
                Some(signature) => signature,
                None => return Ok(view.intent.as_ref().map(|sent| StepEnd::changed(step, sent))),
            },
        };
        let (Some(effect), Some(key)) = (calls.effects.first(), calls.keys.first()) else {
            return Err(StepError::NeedsSignature(step.name.clone()));
        };
        let sending = sending(view, &signature, effect.target(), key.clone());
        let intent = Intent {
            leaf: calls.signed.leaves().first().copied(),
            ..intent(event, sending, &self.prepared.hash, step, invocation)
        };
        match context.runs.intend(&event.run, &intent).await? {
            Intended::Now => {
                self.call = intent.sending.call;
                let receipt = intent.sending.receipt;
                let read = self.rights_read;
                let still_may = StillMay::since(read, context, event, view, step, self.contract);
                let recheck: Option<Arc<dyn Recheck>> = Some(Arc::new(still_may));
                self.permit =
                    Some((Permit { effect: effect.clone(), receipt, recheck }, key.clone()));
                Ok(None)
            }
            Intended::InDoubt(other) if other.is_leased(invocation.now) => {
                Err(StepError::Busy(step.name.clone()))
            }
            Intended::InDoubt(_) => Err(StepError::InDoubt(step.name.clone())),
            Intended::Stopped => {
                let message = "the run was ended a moment ago".to_owned();
                Ok(Some(StepEnd::without_output(StepStatus::NotRun, RUN_STOPPED, message)))
            }
        }
    }

    /// The call of an action that has no effect, and the hash of its arguments.
    pub(crate) fn reading(
        self,
        head: &Head,
        step: &PlanStep,
        invocation: &Invocation,
    ) -> (Call, String) {
        let hash = self.prepared.hash.clone();
        let idempotency_key = retry_key(head, step, self.contract, &hash);
        let call = call(head, step, self.prepared, invocation.now, invocation.remaining);
        let asking = Asking { list: self.model_list, end: None };
        (Call { idempotency_key, asking, ..call }, hash)
    }

    pub(crate) async fn act(
        self,
        context: &Context,
        event: &StepEvent,
        head: &Head,
        step: &PlanStep,
        invocation: &Invocation,
    ) -> Result<StepEnd, StepError> {
        let action = context
            .action(&step.action)
            .ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
        let Self { contract, prepared, permit, call: number, rewrite, model_list, .. } = self;
        let hash = prepared.hash.clone();
        let key = permit
            .as_ref()
            .map_or_else(|| retry_key(head, step, contract, &hash), |(_, key)| key.clone());
        let mut call = Call {
            idempotency_key: key,
            permit: permit.map(|(permit, _)| permit),
            rewrite,
            asking: Asking { list: model_list, end: None },
            ..call(head, step, prepared, invocation.now, invocation.remaining)
        };
        if contract.writes {
            let warnings = context.runs.warnings(head, SHOWN).await?;
            call.info.warnings = StepWarnings::sentences(&warnings);
        }
        match act(action.as_ref(), call, step, contract, invocation.remaining).await {
            Acted::Done(answered) => Ok(StepEnd::answered(step, hash, answered)),
            Acted::Failed(error) if number > 1 => Ok(StepEnd::failed(step, &error).like_before()),
            Acted::Failed(error) => Ok(StepEnd::failed(step, &error)),
            Acted::Unknown => {
                // It does not act any more: whoever answers what happened need not wait for the lease to end.
                let now = jiff::Timestamp::now();
                let released = context.runs.release(&event.run, &step.name, number, now).await;
                if let Err(error) = released {
                    tracing::warn!(run = %event.run, step = step.name, %error, "the lease runs on");
                }
                Err(StepError::InDoubt(step.name.clone()))
            }
        }
    }
}
