//! `/approvals/{id}` (F-358).

use axum::extract::State;
use countersign_approval::{ApprovalId, Request};
use countersign_identity::UserId;
use countersign_store_approvals::Loaded;
use countersign_web::{Json, Path, Problem, Signed};
use serde_json::{Value, json};

use super::{Ctx, found, reader};

/// One request with its preview, the digest a decision must carry, and the votes.
#[utoipa::path(
    get, path = "/approvals/{id}", tag = "approvals", params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = Value), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ApprovalId>,
) -> Result<Json<Value>, Problem> {
    let State(ctx) = ctx;
    let person = reader(&signed)?;
    let loaded = found(ctx.approvals.load(&id).await?)?;
    if !may_see(&loaded.request, person) {
        return Err(Problem::not_found());
    }
    Ok(Json(view(&loaded)))
}

/// Owner, invoker, approvers, and those it would be escalated to.
pub(super) fn may_see(request: &Request, person: &UserId) -> bool {
    let escalated = request.timing.escalation.iter().flat_map(|escalation| &escalation.to);
    request.owner == *person
        || request.invoker == *person
        || request.policy.approvers.contains(person)
        || escalated.into_iter().any(|named| named == person)
}

/// Everything but the salt, which would make the ledger's digests guessable.
fn view(loaded: &Loaded) -> Value {
    let mut view = serde_json::to_value(&loaded.request).unwrap_or_default();
    if let Some(map) = view.as_object_mut() {
        map.shift_remove("salt");
        map.insert("votes".to_owned(), json!(loaded.votes));
    }
    view
}
