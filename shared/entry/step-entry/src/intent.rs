//! The mark of what a step is about to send.

use countersign_approval::ports::Signed;
use countersign_lambda_entry::Invocation;
use countersign_plan::{OnError, PlanStep};
use countersign_run::Sending;
use countersign_store_runs::{Intent, StepView};

use crate::act::lease;
use crate::event::StepEvent;

/// What a step is about to send, allowed by this signature; for a step with several calls the key is empty.
pub(crate) fn sending(view: &StepView, signature: &Signed, target: String, key: String) -> Sending {
    Sending {
        call: view.intent.as_ref().map_or(1, |before| before.sending.call + 1),
        receipt: signature.receipt.to_string(),
        approval: Some(signature.approval.to_string()),
        target,
        key,
        items: 0,
    }
}

/// The mark of what is about to be sent: who may look for what where, and until when it may be at it.
pub(crate) fn intent(
    event: &StepEvent,
    sending: Sending,
    input_hash: &str,
    step: &PlanStep,
    invocation: &Invocation,
) -> Intent {
    let lease_until = invocation.now.checked_add(lease(step, invocation.remaining));
    Intent {
        step: step.name.clone(),
        input_hash: input_hash.to_owned(),
        sending,
        leaf: None,
        struck: Vec::new(),
        signed: Vec::new(),
        lease_until: lease_until.unwrap_or(invocation.now),
        stops: step.on_error == OnError::Stop,
        attempt: event.attempt,
        at: invocation.now,
    }
}
