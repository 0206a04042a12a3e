//! `/actions` (F-345): what the caller may run.

use axum::extract::State;
use countersign_registry::Contract;
use countersign_web::{Json, Signed};

use super::answers::ActionAnswer;
use super::{Ctx, JsonOf, reader};

/// The contract of every action that the caller may run.
#[utoipa::path(get, path = "/actions", tag = "actions", responses((status = 200, body = Vec<ActionAnswer>)))]
pub(crate) async fn list(State(ctx): Ctx, signed: Signed) -> JsonOf<Vec<Contract>> {
    reader(&signed)?;
    let may_run = |contract: &&Contract| is_open(&signed, contract);
    Ok(Json(ctx.registry.iter().filter(may_run).cloned().collect()))
}

/// Whether the caller may run an action, of some topic if it is decided by topic.
pub(super) fn is_open(signed: &Signed, contract: &Contract) -> bool {
    let mut requirement = contract.requirement.clone();
    requirement.topic_scoped = false;
    signed.caller.permits(&requirement, None).is_ok()
}
