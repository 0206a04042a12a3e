//! `/actions` (F-345).

use axum::extract::State;
use countersign_registry::Contract;
use countersign_web::{Json, Problem};

use super::{Ctx, Reader};

/// The contract of every action.
#[utoipa::path(get, path = "/actions", tag = "actions", responses((status = 200, body = Vec<Value>)))]
pub(crate) async fn list(State(ctx): Ctx, _: Reader) -> Result<Json<Vec<Contract>>, Problem> {
    Ok(Json(ctx.registry.iter().cloned().collect()))
}
