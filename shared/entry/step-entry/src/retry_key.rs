//! The idempotency keys of calls that need no signature.

use countersign_plan::PlanStep;
use countersign_registry::Contract;
use countersign_run::{Head, RunId};
use sha2::{Digest as _, Sha256};

/// The key of a reversible step, the same for every attempt with these arguments. A step that writes in the deployment has the key of
/// the first of the runs that repeat each other, so that it writes once; a step that only reads has one of its own run. What leaves
/// the system carries the key of its effect instead.
pub(crate) fn retry_key(
    head: &Head,
    step: &PlanStep,
    contract: &Contract,
    input_hash: &str,
) -> String {
    let run = if contract.writes { head.origin() } else { &head.run };
    attempt_key(run, &step.name, input_hash)
}

/// The key of what a run does at a place with these arguments: 32 hex digits.
pub(crate) fn attempt_key(run: &RunId, place: &str, input_hash: &str) -> String {
    let text = format!("{run}\0{place}\0{input_hash}");
    hex::encode(&Sha256::digest(text)[..16])
}
