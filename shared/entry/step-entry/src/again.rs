//! Sending again what was sent before, when people have said so.

use countersign_approval::Choice;
use countersign_approval::ports::{Answered, Signed};
use countersign_plan::PlanStep;
use countersign_store_runs::Intent;

use crate::context::Context;
use crate::error::StepError;
use crate::event::StepEvent;
use crate::signature::StepCalls;

/// The answer of people by which the call of this mark may be made again.
///
/// # Errors
/// [`StepError::InDoubt`] while there is none: they have to be asked.
pub(crate) async fn again(
    context: &Context,
    event: &StepEvent,
    step: &PlanStep,
    intent: &Intent,
) -> Result<Answered, StepError> {
    let signatures =
        context.signatures.as_ref().ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
    let answers = signatures.answers(&event.run, &step.name).await?;
    let is_of = |answered: &Answered| {
        let (call, sending) = (&answered.call, &intent.sending);
        (call.n, call.call, &call.receipt) == (0, sending.call, &sending.receipt)
    };
    let allows = |answered: &Answered| is_of(answered) && answered.answer.choice == Choice::Again;
    answers.into_iter().find(allows).ok_or_else(|| StepError::InDoubt(step.name.clone()))
}

/// The signature in that answer, if the step would send the very bytes it was given for, with the same key.
pub(crate) fn signature(again: &Answered, calls: &StepCalls) -> Option<Signed> {
    let same_bytes = calls.signed.leaves().first() == Some(&again.call.leaf);
    let same = same_bytes && calls.keys.first() == Some(&again.call.key);
    let Answered { approval, receipt, at, .. } = again.clone();
    same.then_some(Signed {
        approval,
        receipt,
        at,
        covered: calls.signed.covered(),
        warned: Vec::new(),
    })
}
