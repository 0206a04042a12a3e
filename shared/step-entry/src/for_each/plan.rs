//! Which calls of the list may be made now.

use std::collections::{BTreeMap, BTreeSet};

use countersign_approval::ports::Signed;
use countersign_approval::{ApprovalId, ReceiptId, StepEffects};
use countersign_plan::PlanStep;
use countersign_store_runs::{ItemCall, ItemStatus, StepView};

use crate::context::Context;
use crate::error::StepError;
use crate::signature::StepCalls;

/// The calls that have a record, by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) calls: BTreeMap<u32, ItemCall>,
    /// How many calls people allowed, as the step's own mark has it; 0 before the first.
    pub(crate) allowed: u32,
}

impl Made {
    /// Reads them; a step without a mark has none.
    pub(crate) async fn read(
        context: &Context,
        view: &StepView,
        step: &PlanStep,
    ) -> Result<Self, StepError> {
        let Some(intent) = &view.intent else { return Ok(Self::default()) };
        let calls = context.runs.items(&view.head.run, &step.name).await?;
        let calls = calls.into_iter().map(|call| (call.n, call)).collect();
        Ok(Self { calls, allowed: intent.sending.items })
    }

    /// Whether the outcome of some call is unknown. A call that is still being made counts: whoever asks holds the lease of
    /// the step, so that nobody else makes it.
    pub(crate) fn in_doubt(&self) -> bool {
        self.unknown().next().is_some()
    }

    /// The calls of unknown outcome.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &ItemCall> {
        self.calls.values().filter(|call| is_unknown(call.status))
    }
}

/// Whether somebody has to say what came of a call.
pub(crate) fn is_unknown(status: ItemStatus) -> bool {
    matches!(status, ItemStatus::Sending | ItemStatus::Unknown)
}

/// What allows one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grant {
    pub(crate) approval: ApprovalId,
    pub(crate) receipt: ReceiptId,
    /// Which call of its item it is, from 1.
    pub(crate) call: u32,
}

/// What may be done now.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Allowed {
    /// The calls to make, by their number in the list.
    pub(crate) now: BTreeMap<u32, Grant>,
    /// What people struck out, by its number in the list.
    pub(crate) struck: BTreeSet<u32>,
}

/// What may be made now: signed, not struck out and without a record. None when no signature covers the list, or what is
/// left of it.
pub(crate) fn allowed(calls: &StepCalls, made: &Made, found: &[Signed]) -> Option<Allowed> {
    let all: Vec<u32> = (0..).take(calls.signed.texts.len()).collect();
    if let Some(signature) = calls.covered_by(found) {
        return Some(without(signature, &all, made));
    }
    // The connector was changed after the first calls: people have signed the rest again.
    let rest: Vec<u32> = all.into_iter().filter(|n| !made.calls.contains_key(n)).collect();
    if rest.is_empty() {
        return Some(Allowed::default());
    }
    let left = left(calls, &rest);
    let newest = found.iter().filter(|signature| signature.covered.is_of(&left));
    newest.max_by_key(|signature| signature.at).map(|signature| without(signature, &rest, made))
}

/// The effects of these calls alone.
pub(crate) fn left(calls: &StepCalls, numbers: &[u32]) -> StepEffects {
    let text = |n: &u32| calls.signed.texts.get(*n as usize).cloned();
    StepEffects { texts: numbers.iter().filter_map(text).collect(), ..calls.signed.clone() }
}

fn without(signature: &Signed, signed: &[u32], made: &Made) -> Allowed {
    let struck: BTreeSet<u32> = signature
        .covered
        .struck
        .iter()
        .filter_map(|at| signed.get(*at as usize).copied())
        .collect();
    let Signed { approval, receipt, .. } = signature;
    let grant = || Grant { approval: approval.clone(), receipt: receipt.clone(), call: 1 };
    let now = signed.iter().copied();
    let now = now.filter(|n| !struck.contains(n) && !made.calls.contains_key(n));
    Allowed { now: now.map(|n| (n, grant())).collect(), struck }
}
