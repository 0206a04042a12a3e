//! The call of a step that is over, as it was: for what is tried again of it.

use countersign_lambda_entry::Invocation;
use countersign_plan::{Plan, PlanStep};
use countersign_registry::Contract;
use countersign_registry::action::{ActionError, Call};
use countersign_run::Head;
use countersign_store_runs::RunStore;

use crate::call::call;
use crate::error::StepError;
use crate::prepare::prepare;
use crate::retry_key::retry_key;
use crate::upstream::Upstream;

/// The same arguments and the same key, from the results that the step has read.
///
/// # Errors
/// [`StepError`] when the runs do not answer.
pub async fn finished_call(
    runs: &RunStore,
    (head, plan): (&Head, &Plan),
    (step, contract): (&PlanStep, &Contract),
    invocation: &Invocation,
) -> Result<Result<Call, ActionError>, StepError> {
    let upstream = Upstream::read(runs, head, step, &[], None).await?;
    let scope = upstream.scope(head, plan, &[step]);
    let prepared = match prepare(step, contract, &scope) {
        Ok(prepared) => prepared,
        Err(problems) => {
            return Ok(Err(ActionError::terminal("STEP_INPUT_INVALID", problems.join("; "))));
        }
    };
    let idempotency_key = retry_key(head, step, contract, &prepared.hash);
    let call = call(head, step, prepared, invocation.now, invocation.remaining);
    Ok(Ok(Call { idempotency_key, ..call }))
}
