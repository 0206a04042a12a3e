//! `/actions/{name}` (F-346).

use axum::extract::State;
use countersign_registry::Contract;
use countersign_web::{Json, Path, Problem};

use super::{Ctx, Reader};

/// The contract of one action.
#[utoipa::path(
    get, path = "/actions/{name}", tag = "actions", params(("name" = String, Path, description = "snake_case")),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    _: Reader,
    Path(name): Path<String>,
) -> Result<Json<Contract>, Problem> {
    ctx.registry.get(&name).cloned().map(Json).ok_or_else(|| {
        let problem = Problem::no_such("action", &name);
        match ctx.registry.suggest(&name) {
            Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
            None => problem,
        }
    })
}
