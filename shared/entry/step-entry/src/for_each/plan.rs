//! Which calls of the list may be made now.

use std::collections::{BTreeMap, BTreeSet};

use countersign_approval::ports::Signed;
use countersign_approval::{ApprovalId, ReceiptId, StepEffects};
use countersign_plan::PlanStep;
use countersign_store_runs::{Intent, ItemCall, StepView};

use super::list::Item;
use crate::context::Context;
use crate::error::StepError;
use crate::signature::{StepCalls, newest};

/// The calls that have a record, by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) calls: BTreeMap<u32, ItemCall>,
    /// The step's own mark; none before the first call.
    pub(crate) mark: Option<Intent>,
}

impl Made {
    /// Reads them; a step without a mark has none.
    pub(crate) async fn read(
        context: &Context,
        view: &StepView,
        step: &PlanStep,
    ) -> Result<Self, StepError> {
        let Some(mark) = view.intent.clone() else { return Ok(Self::default()) };
        let calls = context.runs.items(&view.head.run, &step.name).await?;
        let calls = calls.into_iter().map(|call| (call.n, call)).collect();
        Ok(Self { calls, mark: Some(mark) })
    }

    /// The calls that people have to be asked about. One that is still being made counts: whoever asks has seen that the
    /// lease of the step has ended.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &ItemCall> {
        self.calls.values().filter(|call| call.asks())
    }

    /// Whether every record is of the item that stands there now. Otherwise nobody could say what was made.
    pub(crate) fn fits(&self, list: &[Item]) -> bool {
        let is_of =
            |call: &ItemCall| list.get(call.n as usize).is_some_and(|item| item.key == call.item);
        self.calls.values().all(is_of)
    }

    /// What people struck out when they signed the calls that were begun.
    pub(crate) fn struck(&self) -> BTreeSet<u32> {
        self.mark.iter().flat_map(|mark| mark.struck.iter().copied()).collect()
    }

    /// Of so many calls, those that are neither begun nor struck out.
    pub(crate) fn rest(&self, count: usize) -> Vec<u32> {
        let struck = self.struck();
        let all = (0..).take(count);
        all.filter(|n| !self.calls.contains_key(n) && !struck.contains(n)).collect()
    }
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
    /// The numbers that were signed, when that was not the whole list.
    pub(crate) signed: Vec<u32>,
    /// Whether calls are left that nobody has signed.
    pub(crate) is_unsigned: bool,
}

/// What may be made now: signed, not struck out and without a record. The newest signature counts: of the whole list, of the
/// part that was signed when the first calls of it were made, or of what is left.
pub(crate) fn allowed(calls: &StepCalls, made: &Made, found: &[Signed]) -> Allowed {
    let count = calls.signed.texts.len();
    let all: Vec<u32> = (0..).take(count).collect();
    let part = made.mark.as_ref().map(|mark| mark.signed.clone()).unwrap_or_default();
    let rest = made.rest(count);
    let signature = newest(found);
    let is_of = |numbers: &[u32]| {
        !numbers.is_empty()
            && signature.is_some_and(|signature| signature.covered.is_of(&left(calls, numbers)))
    };
    let signed = [&all, &part, &rest].into_iter().find(|numbers| is_of(numbers));
    match (signature, signed) {
        (Some(signature), Some(signed)) => {
            let partly = if *signed == all { Vec::new() } else { signed.clone() };
            Allowed { signed: partly, ..without(signature, signed, made) }
        }
        _ => Allowed { struck: made.struck(), is_unsigned: !rest.is_empty(), ..Allowed::default() },
    }
}

/// The effects of these calls alone.
pub(crate) fn left(calls: &StepCalls, numbers: &[u32]) -> StepEffects {
    let text = |n: &u32| calls.signed.texts.get(*n as usize).cloned();
    StepEffects { texts: numbers.iter().filter_map(text).collect(), ..calls.signed.clone() }
}

fn without(signature: &Signed, signed: &[u32], made: &Made) -> Allowed {
    let struck = signature.covered.struck.iter();
    let mut struck: BTreeSet<u32> =
        struck.filter_map(|at| signed.get(*at as usize).copied()).collect();
    struck.extend(made.struck());
    let Signed { approval, receipt, .. } = signature;
    let grant = || Grant { approval: approval.clone(), receipt: receipt.clone(), call: 1 };
    let now = signed.iter().copied();
    let now = now.filter(|n| !struck.contains(n) && !made.calls.contains_key(n));
    let now = now.map(|n| (n, grant())).collect();
    Allowed { now, struck, ..Allowed::default() }
}
