//! Making the calls, some side by side, one wave after the other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use countersign_failure::Class;
use countersign_lambda_entry::Invocation;
use countersign_plan::{CALL_SECONDS, ForEach, OnError, PlanStep};
use countersign_registry::action::{Answered, Call, Permit};
use countersign_registry::{Contract, RESERVED};
use countersign_run::{RUN_STOPPED, Sending};
use countersign_store_runs::{Begun, Intent, ItemCall, ItemStatus, StepView};
use futures::future::join_all;
use jiff::Timestamp;
use tokio::time::Instant;

use super::Calls;
use super::plan::{Allowed, Grant, Made};
use super::summary;
use crate::act::{Acted, LEASE_MARGIN, act};
use crate::call::call;
use crate::context::Context;
use crate::error::StepError;
use crate::event::{Answer, More, StepEvent};
use crate::intent::intent;
use crate::recheck::StillMay;
use crate::rights::{MAX_RIGHTS_AGE, refused_now};
use crate::signature::StepCalls;
use crate::step_end::StepEnd;

/// What an invocation keeps back: it begins no wave when less than a call's time and this is left.
const KEPT_BACK: Duration = Duration::from_secs(10);

/// What an invocation may take before its first wave: reading, describing, looking for signatures.
const BEFORE_CALLS: Duration = Duration::from_secs(20);

/// Everything the waves of one invocation have in common.
pub(crate) struct Waves<'a> {
    pub(crate) context: &'a Context,
    pub(crate) event: &'a StepEvent,
    pub(crate) view: &'a StepView,
    pub(crate) step: &'a PlanStep,
    pub(crate) each: &'a ForEach,
    pub(crate) contract: &'a Contract,
    pub(crate) list: &'a Calls,
    pub(crate) calls: &'a StepCalls,
    pub(crate) invocation: &'a Invocation,
    pub(crate) started: Instant,
}

/// Why no further wave begins.
#[expect(clippy::large_enum_variant, reason = "there is one a step, and it is not kept")]
enum Enough {
    /// Every call that was allowed has been made.
    All,
    /// A call failed, and the step's author wants it to end then.
    Failed,
    /// The run was ended, or whoever started it may not go on.
    Ended(StepEnd),
    /// Time is short.
    Time,
    /// The outcome of some call is unknown.
    Unknown,
}

impl Waves<'_> {
    /// Makes what is allowed, as far as time, failures and the run let it.
    pub(crate) async fn make(
        &self,
        mut made: Made,
        allowed: &Allowed,
    ) -> Result<Answer, StepError> {
        let numbers = self.order(&made, allowed);
        let Some(first) = numbers.first().and_then(|n| allowed.now.get(n)) else {
            return self.end(&made, &allowed.struck, None).await;
        };
        let mark = self.mark(&made, allowed, first);
        let mut is_open = false;
        made.mark.clone_from(&self.view.intent);
        let enough = self.waves(&mut made, allowed, &numbers, &mark, &mut is_open).await;
        if enough.is_err() && !is_open {
            self.release(&mark).await;
        }
        match enough? {
            Enough::Time => {
                self.release(&mark).await;
                Ok(Answer::More(More::default()))
            }
            Enough::Unknown => {
                self.release(&mark).await;
                Err(StepError::InDoubt(self.step.name.clone()))
            }
            Enough::All if allowed.is_unsigned && !self.failed(&made) => {
                self.release(&mark).await;
                Err(StepError::NeedsSignature(self.step.name.clone()))
            }
            Enough::All | Enough::Failed => self.end(&made, &allowed.struck, None).await,
            Enough::Ended(ending) => self.end(&made, &allowed.struck, Some(ending)).await,
        }
    }

    /// First what people said is to be sent again, then the rest in the order of the list. After a failure that ends the
    /// step only the former: somebody has signed it since.
    fn order(&self, made: &Made, allowed: &Allowed) -> Vec<u32> {
        let failed = self.failed(made);
        let mut numbers: Vec<(bool, u32)> =
            allowed.now.iter().map(|(n, grant)| (grant.call == 1, *n)).collect();
        numbers.retain(|(is_first, _)| !(failed && *is_first));
        numbers.sort_unstable();
        numbers.into_iter().map(|(_, n)| n).collect()
    }

    /// `is_open` is set while calls are noted whose end is not written.
    async fn waves(
        &self,
        made: &mut Made,
        allowed: &Allowed,
        numbers: &[u32],
        mark: &Intent,
        is_open: &mut bool,
    ) -> Result<Enough, StepError> {
        // They were read after the step began, and calls are described and signatures read since.
        let mut rights_read = self.started;
        for numbers in numbers.chunks(self.each.parallel.max(1) as usize) {
            if self.left() < self.limit() + KEPT_BACK {
                return Ok(Enough::Time);
            }
            if rights_read.elapsed() > MAX_RIGHTS_AGE {
                rights_read = Instant::now();
                if let Some(ending) = self.refused().await? {
                    return Ok(Enough::Ended(ending));
                }
            }
            let begun: Vec<ItemCall> =
                numbers.iter().filter_map(|n| self.begun(*n, allowed.now.get(n)?)).collect();
            let mark = Intent { lease_until: self.lease_until(), ..mark.clone() };
            let seen = made.mark.as_ref();
            match self.context.runs.begin_items(&self.event.run, &mark, seen, &begun).await? {
                Begun::Now => made.mark = Some(mark),
                Begun::Taken => return Err(StepError::Busy(self.step.name.clone())),
                Begun::Stopped => {
                    let message = "the run was ended a moment ago".to_owned();
                    return Ok(Enough::Ended(StepEnd::not_run(RUN_STOPPED, message)));
                }
            }
            *is_open = true;
            let ended = self.wave(begun, rights_read).await?;
            *is_open = false;
            let enough = self.after(&ended);
            made.calls.extend(ended.into_iter().map(|call| (call.n, call)));
            if let Some(enough) = enough {
                return Ok(enough);
            }
        }
        Ok(Enough::All)
    }

    /// Why whoever started the run may not go on, if so.
    async fn refused(&self) -> Result<Option<StepEnd>, StepError> {
        let refused = refused_now(self.context, &self.view.head, self.step, self.contract).await?;
        Ok(refused.map(|error| StepEnd::failed(self.step, &error).stopping()))
    }

    /// What a wave means for the next one.
    fn after(&self, ended: &[ItemCall]) -> Option<Enough> {
        if ended.iter().any(ItemCall::asks) {
            return Some(Enough::Unknown);
        }
        self.has_failed(ended.iter()).then_some(Enough::Failed)
    }

    /// Whether a call has failed, and the step's author wants it to end then.
    pub(crate) fn failed(&self, made: &Made) -> bool {
        self.has_failed(made.calls.values())
    }

    fn has_failed<'c>(&self, mut calls: impl Iterator<Item = &'c ItemCall>) -> bool {
        let failed = |call: &ItemCall| call.status != ItemStatus::Done && call.code.is_some();
        self.step.on_error == OnError::Stop && calls.any(failed)
    }

    /// The step's own mark, but for its lease: what was signed and struck out, and how many calls were allowed. Who
    /// allowed the first calls and when they were sent stays.
    fn mark(&self, made: &Made, allowed: &Allowed, first: &Grant) -> Intent {
        let target = self.calls.effects.first().map(countersign_effect::Effect::target);
        // The whole list counts, also while a part of it waits for a signature: what is missing must never look done.
        let items = self.list.left.len().saturating_sub(allowed.struck.len());
        let before = made.mark.as_ref();
        let now = sending(first, target.unwrap_or_default(), String::new());
        let sending = Sending {
            call: before.map_or(1, |before| before.sending.call + 1),
            items: u32::try_from(items).unwrap_or(u32::MAX),
            ..before.map_or(now, |before| before.sending.clone())
        };
        let mark = intent(self.event, sending, "", self.step, self.invocation);
        let signed = before.map(|before| before.signed.clone()).unwrap_or_default();
        Intent {
            struck: allowed.struck.iter().copied().collect(),
            signed: if allowed.signed.is_empty() { signed } else { allowed.signed.clone() },
            at: before.map_or(mark.at, |before| before.at),
            ..mark
        }
    }

    /// Until when the calls of a wave that begins now may be at it. The next wave takes the lease anew, so that people are
    /// asked soon after a crash.
    fn lease_until(&self) -> Timestamp {
        let now = Timestamp::now();
        now.checked_add(self.limit() + RESERVED + LEASE_MARGIN).unwrap_or(now)
    }

    /// The record of a call that is about to be made.
    fn begun(&self, n: u32, grant: &Grant) -> Option<ItemCall> {
        let at = n as usize;
        let (item, effect) = (self.list.left.get(at)?, self.calls.effects.get(at)?);
        let text = self.calls.signed.texts.get(at)?;
        let key = self.calls.keys.get(at)?.clone();
        Some(ItemCall {
            step: self.step.name.clone(),
            n,
            item: item.key.clone(),
            leaf: countersign_effect::effect_leaf(text).to_string(),
            status: ItemStatus::Sending,
            sending: sending(grant, effect.target(), key),
            at: Timestamp::now(),
            ended_at: None,
            output: None,
            code: None,
            message: None,
        })
    }

    /// Makes the calls of one wave and writes what came of them.
    async fn wave(
        &self,
        begun: Vec<ItemCall>,
        rights_read: Instant,
    ) -> Result<Vec<ItemCall>, StepError> {
        let ended = join_all(begun.into_iter().map(|call| self.one(call, rights_read))).await;
        let ended: Vec<ItemCall> = ended.into_iter().collect::<Result<_, _>>()?;
        let mut pause = Duration::from_millis(100);
        for _ in 1..TRIES {
            match self.context.runs.end_items(&self.event.run, &ended).await {
                Err(error) if countersign_failure::Failure::class(&error) == Class::Retryable => {
                    tokio::time::sleep(pause).await;
                }
                written => return Ok(written.map(|()| ended)?),
            }
            pause *= 3;
        }
        self.context.runs.end_items(&self.event.run, &ended).await?;
        Ok(ended)
    }

    async fn one(&self, begun: ItemCall, rights_read: Instant) -> Result<ItemCall, StepError> {
        let action = self.context.action(&self.step.action);
        let action = action.ok_or_else(|| StepError::NoHandler(self.step.action.clone()))?;
        let Some(request) = self.request(&begun, rights_read) else {
            return Err(StepError::UnknownStep(self.step.name.clone()));
        };
        let time = self.left().min(self.limit() + RESERVED);
        let acted = act(action.as_ref(), request, self.step, self.contract, time).await;
        let ended = ItemCall { ended_at: Some(Timestamp::now()), ..begun };
        Ok(match acted {
            Acted::Done(Answered { output, .. }) => {
                let output =
                    self.context.runs.keep_item_output(&self.event.run, &ended, &output).await;
                // That an answer cannot be kept does not undo the call.
                let output = output.map_err(|error| tracing::warn!(run = %self.event.run, step = self.step.name, n = ended.n, %error, "the answer of a call was not kept")).ok();
                ItemCall { status: ItemStatus::Done, output, ..ended }
            }
            // A second call that failed says nothing of the first, whose outcome was unknown.
            Acted::Failed(error) if ended.sending.call > 1 => ItemCall {
                status: ItemStatus::Unknown,
                code: Some(error.code.to_owned()),
                message: Some(format!("sent again: {}", countersign_failure::chain(&error))),
                ..ended
            },
            Acted::Failed(error) => ItemCall {
                status: ItemStatus::Failed,
                code: Some(error.code.to_owned()),
                message: Some(countersign_failure::chain(&error)),
                ..ended
            },
            Acted::Unknown => ItemCall { status: ItemStatus::Unknown, ..ended },
        })
    }

    fn request(&self, begun: &ItemCall, rights_read: Instant) -> Option<Call> {
        let at = begun.n as usize;
        let (item, effect) = (self.list.left.get(at)?, self.calls.effects.get(at)?);
        let Self { context, event, view, step, contract, .. } = *self;
        let still_may = StillMay::since(rights_read, context, event, view, step, contract);
        let permit = Permit {
            effect: effect.clone(),
            receipt: begun.sending.receipt.clone(),
            recheck: Some(Arc::new(still_may)),
        };
        let key = begun.sending.key.clone();
        let prepared = item.prepared.clone();
        let call = call(&self.view.head, self.step, prepared, self.invocation.now, self.limit());
        Some(Call { idempotency_key: key, permit: Some(permit), ..call })
    }

    /// Ends the step.
    pub(crate) async fn end(
        &self,
        made: &Made,
        struck: &BTreeSet<u32>,
        instead: Option<StepEnd>,
    ) -> Result<Answer, StepError> {
        let Self { context, step, list, .. } = *self;
        let ending = summary::of_list(context, step, made, list, struck, instead).await?;
        let ending = ending.with_missing_result(&self.view.plan, step);
        Ok(ending.record(&context.runs, self.event, self.invocation.now).await?.into())
    }

    /// Nobody makes calls any more: whoever is next need not wait for the lease to end.
    async fn release(&self, mark: &Intent) {
        let (run, step, call) = (&self.event.run, &self.step.name, mark.sending.call);
        if let Err(error) = self.context.runs.release(run, step, call, Timestamp::now()).await {
            tracing::warn!(%run, step, %error, "the lease runs on");
        }
    }

    fn left(&self) -> Duration {
        self.invocation.remaining.saturating_sub(self.started.elapsed())
    }

    /// How long one call may take: what its step says, and at most what an invocation has for its first wave, so that every
    /// invocation makes calls.
    fn limit(&self) -> Duration {
        let said = Duration::from_secs(self.step.timeout_seconds.unwrap_or(CALL_SECONDS).into());
        said.min(self.invocation.remaining.saturating_sub(KEPT_BACK + BEFORE_CALLS))
    }
}

/// How often the end of a wave is written again: what was done must not be forgotten for a conflict that settles.
const TRIES: u32 = 4;

/// What is sent under this grant.
fn sending(grant: &Grant, target: String, key: String) -> Sending {
    Sending {
        call: grant.call,
        receipt: grant.receipt.to_string(),
        approval: Some(grant.approval.to_string()),
        target,
        key,
        items: 0,
    }
}
