//! `/approvals/{id}/escalate`: those whom the gate names for later are asked now.

use countersign_approval::ApprovalId;
use countersign_gatekeeper::Who;
use countersign_web::{Json, Signed};
use serde::Serialize;
use utoipa::ToSchema;

use super::approval_decide::refusal;
use super::approval_seen::seen_by;
use super::{JsonOf, Named, now, reader};

/// Whom it was escalated to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Escalated {
    /// The usernames of those who were asked; nobody when the gate names nobody for it, or all of them have decided.
    asked: Vec<String>,
}

/// Asks the people of the gate's `escalation` now, in addition to its approvers, and not only when its time has come. Whoever
/// may vote on it may do it; nobody can be asked whom the author of the gate has not named. Doing it again asks nobody twice.
#[utoipa::path(
    post, path = "/approvals/{id}/escalate", tag = "approvals", params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = Escalated), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, or past its deadline"))
)]
pub(crate) async fn escalate(
    Named(ctx, signed, id): Named<ApprovalId, Signed>,
) -> JsonOf<Escalated> {
    seen_by(&ctx, &id, reader(&signed)?).await?;
    let who = Who::Session(Box::new(signed.presented));
    let people = match ctx.gatekeeper.escalate_now(&id, &who, now()).await {
        Ok(people) => people,
        Err(error) => return Err(refusal(&ctx, &error).await?),
    };
    let mut asked = Vec::new();
    for person in &people {
        asked.push(ctx.recorder.username(person).await?);
    }
    Ok(Json(Escalated { asked }))
}
