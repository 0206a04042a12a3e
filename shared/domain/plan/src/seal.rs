//! The seal: what was approved is what runs.

use countersign_canonical::canonical_of;
use sha2::{Digest as _, Sha256};

use crate::error::PlanError;
use crate::model::Plan;

/// The seal of a plan: SHA-256, in hex, of `countersign/v1/seal\0` and the plan's canonical form.
///
/// # Errors
/// [`PlanError::Unsealable`] when the plan cannot be written as JSON.
pub fn seal(plan: &Plan) -> Result<String, PlanError> {
    let canonical = canonical_of(plan).map_err(|error| PlanError::Unsealable(error.to_string()))?;
    let mut hasher = Sha256::new();
    hasher.update(b"countersign/v1/seal\0");
    hasher.update(canonical);
    Ok(hex::encode(hasher.finalize()))
}

/// Checks a stored plan against the seal that travels in the execution.
///
/// # Errors
/// [`PlanError::SealBroken`] when it is another plan.
pub fn check_seal(plan: &Plan, expected: &str) -> Result<(), PlanError> {
    if seal(plan)? == expected { Ok(()) } else { Err(PlanError::SealBroken) }
}
