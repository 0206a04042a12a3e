//! What people said of calls whose outcome was unknown.

use std::collections::BTreeMap;

use countersign_approval::ports::{Answered, Signatures};
use countersign_approval::{Choice, UnknownCall};
use countersign_plan::PlanStep;
use countersign_run::{EFFECT_NOT_DONE, RunId, Said, Sent};
use countersign_store_runs::{ItemCall, ItemStatus, StepView};

use super::plan::{Grant, Made};
use crate::context::Context;
use crate::error::StepError;
use crate::signature::StepCalls;

/// The calls of unknown outcome as people are asked about them, in the order of the list.
pub(crate) async fn unknown_calls(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
) -> Result<Vec<UnknownCall>, StepError> {
    let made = Made::read(context, view, step).await?;
    Ok(made.unknown().filter_map(asked).collect())
}

fn asked(call: &ItemCall) -> Option<UnknownCall> {
    Some(UnknownCall {
        n: call.n,
        leaf: call.leaf.parse().ok()?,
        call: call.sending.call,
        approval: call.sending.approval.as_deref()?.parse().ok()?,
        receipt: call.sending.receipt.clone(),
        sent_at: call.at,
        target: call.sending.target.clone(),
        key: call.sending.key.clone(),
        // What the connector says of it is found out when the request is opened.
        key_hours: None,
    })
}

/// What was said of the calls.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Calls to make again, the same bytes with the same key.
    pub(crate) again: BTreeMap<u32, Grant>,
    /// Items that were to be sent again, and would be something else now.
    pub(crate) changed: Vec<String>,
}

/// Takes what people said into the records. Every call of unknown outcome has an answer then.
///
/// # Errors
/// [`StepError::InDoubt`] while a call has no answer: people have to be asked.
pub(crate) async fn settle(
    context: &Context,
    signatures: &dyn Signatures,
    run: &RunId,
    step: &PlanStep,
    calls: &StepCalls,
    made: &mut Made,
) -> Result<Settled, StepError> {
    let mut settled = Settled::default();
    if made.unknown().next().is_none() {
        return Ok(settled);
    }
    let answers = signatures.answers(run, &step.name).await?;
    let mut ended = Vec::new();
    for call in made.unknown() {
        let answered = answers.iter().find(|answered| is_of(answered, call));
        let answered = answered.ok_or_else(|| StepError::InDoubt(step.name.clone()))?;
        match answered.answer.choice {
            Choice::Again if is_same(call, calls) => {
                let (approval, receipt) = (answered.approval.clone(), answered.receipt.clone());
                let grant = Grant { approval, receipt, call: call.sending.call + 1 };
                settled.again.insert(call.n, grant);
            }
            Choice::Again => settled.changed.push(call.item.clone()),
            Choice::Done => ended.push(said(step, call, answered, ItemStatus::Done)),
            Choice::NotDone => ended.push(said(step, call, answered, ItemStatus::Failed)),
        }
    }
    if !ended.is_empty() {
        context.runs.end_items(run, &ended).await?;
        made.calls.extend(ended.into_iter().map(|call| (call.n, call)));
    }
    Ok(settled)
}

fn is_of(answered: &Answered, call: &ItemCall) -> bool {
    let asked = &answered.call;
    (asked.n, asked.call, &asked.receipt) == (call.n, call.sending.call, &call.sending.receipt)
}

/// Whether the step would send the very bytes with the very key again.
fn is_same(call: &ItemCall, calls: &StepCalls) -> bool {
    let at = call.n as usize;
    let text = calls.signed.texts.get(at);
    let leaf = text.map(|text| countersign_effect::effect_leaf(text).to_string());
    leaf.as_ref() == Some(&call.leaf) && calls.keys.get(at) == Some(&call.sending.key)
}

fn said(step: &PlanStep, call: &ItemCall, answered: &Answered, status: ItemStatus) -> ItemCall {
    let is_done = status == ItemStatus::Done;
    let said = Said {
        what: if is_done { "was done" } else { "was not done" },
        receipt: answered.receipt.as_str(),
        by: &[],
        evidence: answered.answer.evidence.as_deref(),
    };
    let sent = Sent { at: call.at, what: call.sending.clone() };
    ItemCall {
        status,
        ended_at: Some(answered.at),
        code: (!is_done).then(|| EFFECT_NOT_DONE.to_owned()),
        message: Some(sent.answered(&step.name, &[], &said)),
        ..call.clone()
    }
}
