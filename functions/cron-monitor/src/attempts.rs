//! How often a detection step is tried in a look.

use countersign_actions_detect::{Detect, Look, Seen};
use countersign_plan::PlanStep;
use countersign_registry::action::{ActionError, Call};
use countersign_step_entry::{Attempts, within};

/// Looks as often as the step says, and each time as long as it says, as it would be tried in a run.
pub(crate) async fn look(
    action: &dyn Detect,
    mut call: Call,
    look: Look<'_>,
    step: &PlanStep,
) -> Result<Seen, ActionError> {
    let mut attempts = Attempts::of(step, call.remaining);
    loop {
        call.remaining = attempts.time();
        let error = match within(call.remaining, action.look(&call, look)).await {
            Ok(seen) => return Ok(seen),
            Err(error) => error,
        };
        if !attempts.again().await {
            return Err(error);
        }
    }
}
