//! `/approvals/{id}/escalate`: those whom the gate names for later are asked now.

use axum::extract::State;
use countersign_approval::ApprovalId;
use countersign_web::{Json, Path, Problem};
use serde::Serialize;
use utoipa::ToSchema;

use super::approval::may_see;
use super::approval_decide::refusal;
use super::{Ctx, Reader, found, now};

/// Whom it was escalated to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Escalated {
    /// The usernames of those who were asked; nobody when the gate names nobody for it, or all of them have decided.
    asked: Vec<String>,
}

/// Asks the people of the gate's `escalation` now, in addition to its approvers, and not only when its time has come. Whoever
/// sees the request may do it; nobody can be asked whom the author of the gate has not named. Doing it again asks nobody twice.
#[utoipa::path(
    post, path = "/approvals/{id}/escalate", tag = "approvals", params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = Escalated), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, or past its deadline"))
)]
pub(crate) async fn escalate(
    State(ctx): Ctx,
    Reader(ref person): Reader,
    Path(id): Path<ApprovalId>,
) -> Result<Json<Escalated>, Problem> {
    let request = found(ctx.approvals.request(&id).await?)?;
    if !may_see(&request, person) {
        return Err(Problem::not_found());
    }
    let people = match ctx.gatekeeper.escalate_now(&id, now()).await {
        Ok(people) => people,
        Err(error) => return Err(refusal(&ctx, &error).await?),
    };
    let mut asked = Vec::new();
    for person in &people {
        asked.push(ctx.recorder.username(person).await?);
    }
    Ok(Json(Escalated { asked }))
}
