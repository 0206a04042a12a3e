//! `/actions` (F-345).

use axum::extract::State;
use countersign_registry::Contract;
use countersign_web::{Json, Problem, Signed};

use super::{Ctx, reader};

/// The contract of every action.
#[utoipa::path(get, path = "/actions", tag = "actions", responses((status = 200, body = Vec<Value>)))]
pub(crate) async fn list(ctx: Ctx, signed: Signed) -> Result<Json<Vec<Contract>>, Problem> {
    let State(ctx) = ctx;
    reader(&signed)?;
    Ok(Json(ctx.registry.iter().cloned().collect()))
}
