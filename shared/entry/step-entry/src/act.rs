//! Doing it: with a time limit, and again where that is safe.

use std::time::Duration;

use countersign_failure::Class;
use countersign_plan::PlanStep;
use countersign_registry::action::{ActionError, Answered, Call, Handler};
use countersign_registry::{Contract, RESERVED};

use crate::attempts::{Attempts, within};

/// What a lease adds to the time a call may take: clocks differ, and an answer takes a moment to be written.
pub(crate) const LEASE_MARGIN: Duration = Duration::from_secs(5);

/// For how long an invocation that is about to act may still be at it: its own time, or less when the step's limit ends
/// the call before.
pub(crate) fn lease(step: &PlanStep, remaining: Duration) -> Duration {
    let limit = step.timeout_seconds.map(|limit| Duration::from_secs(limit.into()) + RESERVED);
    limit.map_or(remaining, |limit| remaining.min(limit)) + LEASE_MARGIN
}

/// What came of acting.
pub(crate) enum Acted {
    /// It answered.
    Done(Answered),
    /// It said no, or kept failing.
    Failed(ActionError),
    /// It cannot be taken back, and nobody knows whether it happened.
    Unknown,
}

/// Calls the action, as often as its author allows. What cannot be taken back is called once.
pub(crate) async fn act(
    action: &dyn Handler,
    mut call: Call,
    step: &PlanStep,
    contract: &Contract,
    remaining: Duration,
) -> Acted {
    let mut attempts = Attempts::of(step, remaining);
    loop {
        call.remaining = attempts.time();
        let error = match within(call.remaining, action.answer(&call)).await {
            Ok(answered) => {
                let acted = conforming(answered, contract);
                // It has happened, whatever its answer looks like: as failed, a repetition would do it again.
                if let (true, Acted::Failed(error)) = (step.irreversible, &acted) {
                    tracing::error!(step = step.name, %error, "it was done, and its answer is not as its contract says");
                    return Acted::Unknown;
                }
                return acted;
            }
            Err(error) => error,
        };
        if step.irreversible && in_doubt(&error) {
            return Acted::Unknown;
        }
        if !attempts.again().await {
            return Acted::Failed(error);
        }
    }
}

/// Whether nobody knows if an effect happened: the answer was lost, or the action says so by its code.
fn in_doubt(error: &ActionError) -> bool {
    error.class == Class::Retryable || error.code.ends_with("_IN_DOUBT")
}

/// The output must be an object with every slot the contract promises.
fn conforming(answered: Answered, contract: &Contract) -> Acted {
    let missing = |fields: &serde_json::Map<String, serde_json::Value>| {
        contract
            .outputs
            .iter()
            .find(|slot| slot.required && !fields.contains_key(&slot.name))
            .map(|slot| slot.name.clone())
    };
    match answered.output.as_object().map(missing) {
        Some(None) => Acted::Done(answered),
        Some(Some(slot)) => Acted::Failed(ActionError::terminal(
            "OUTPUT_INVALID",
            format!("the output has no `{slot}`"),
        )),
        None => {
            Acted::Failed(ActionError::terminal("OUTPUT_INVALID", "the output is not an object"))
        }
    }
}

#[cfg(test)]
mod tests;
