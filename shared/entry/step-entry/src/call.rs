//! The call of an action.

use std::time::Duration;

use countersign_plan::{PlanStep, run_info};
use countersign_registry::action::{Asking, Call};
use countersign_run::Head;

use crate::prepare::Prepared;

/// A call of the step's action with these arguments; its key and permit are the caller's to add.
#[must_use]
pub fn call(
    head: &Head,
    step: &PlanStep,
    prepared: Prepared,
    now: jiff::Timestamp,
    remaining: Duration,
) -> Call {
    Call {
        run: head.run.to_string(),
        step: step.name.clone(),
        owner: head.owner.clone(),
        action: step.action.clone(),
        inputs: prepared.inputs,
        params: prepared.params,
        idempotency_key: String::new(),
        now,
        remaining,
        info: run_info(head, Vec::new()),
        output_schema: step.output_schema.clone(),
        model: step.model.clone(),
        asking: Asking::default(),
        is_for_each_item: step.for_each.is_some(),
        rewrite: None,
        permit: None,
    }
}
