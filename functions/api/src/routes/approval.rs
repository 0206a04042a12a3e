//! `/approvals/{id}` (F-358).

use axum::extract::State;
use countersign_approval::{Actor, ApprovalId, ApprovalRecord, Closed, Request, Vote};
use countersign_identity::UserId;
use countersign_web::{Json, Path, Problem, Signed};
use serde_json::{Value, json};

use super::{Ctx, found, reader};

/// One request with its preview, the digest a decision must carry, the votes by username, how many approvals were
/// `given` of those `needed`, and whom it waits for (`waits_for`).
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
    let record = ctx.recorder.of(&loaded).await?;
    let mut votes = Vec::new();
    for vote in &loaded.votes {
        votes.push(named(vote, &ctx.recorder.username(&vote.person).await?));
    }
    Ok(Json(view(&loaded.request, &record, votes)))
}

/// A vote, also on an earlier version, with the username of the person in place of their id.
fn named(vote: &Vote, username: &str) -> Value {
    let mut view = json!(vote);
    if let Some(map) = view.as_object_mut() {
        map.shift_remove("person");
        map.insert("username".to_owned(), json!(username));
    }
    view
}

/// Owner, invoker, approvers, and those it would be escalated to.
pub(super) fn may_see(request: &Request, person: &UserId) -> bool {
    let escalated = request.timing.escalation.iter().flat_map(|escalation| &escalation.to);
    request.owner == *person
        || request.invoker == *person
        || request.policy.approvers.contains(person)
        || escalated.into_iter().any(|named| named == person)
}

/// Everything but the salt, which would make the ledger's digests guessable. Whoever decided stands there by username, as in
/// the run's record: how many approvals were given of those needed, and whom the request waits for.
fn view(request: &Request, record: &ApprovalRecord, votes: Vec<Value>) -> Value {
    let mut view = json!(request);
    if let Some(map) = view.as_object_mut() {
        map.shift_remove("salt");
        if let Some(closed) = &request.closed {
            map.insert("closed".to_owned(), ended(closed, record.by.as_deref()));
        }
        map.insert("given".to_owned(), json!(record.given));
        map.insert("needed".to_owned(), json!(record.needed));
        map.insert("waits_for".to_owned(), json!(record.waits_for));
        map.insert("votes".to_owned(), Value::Array(votes));
    }
    view
}

/// How a request ended, with the username of the person who ended it in place of their id.
pub(super) fn ended(closed: &Closed, username: Option<&str>) -> Value {
    let mut view = json!(closed);
    if let (Actor::Person(_), Some(username)) = (&closed.by, username) {
        view["by"] = json!({ "type": "person", "username": username });
    }
    view
}
