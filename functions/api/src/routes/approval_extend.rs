//! `/approvals/{id}/extend`: more time to decide.

use axum::extract::State;
use countersign_approval::{ApprovalId, LifecycleError};
use countersign_gatekeeper::{Extending, GateError, Who};
use countersign_web::{FieldError, Json, Path, Problem, Signed};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::approval::{may_see, shown};
use super::approval_decide::refusal;
use super::{Ctx, found, now, reader};

/// Until when.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extension {
    /// The new deadline: at least an hour later than the present one, at most 300 days after the request was opened.
    #[schema(value_type = String, format = DateTime)]
    deadline: Timestamp,
}

/// Gives a pending request more time. Whoever may vote may do it; who did stands in `extensions`. What is signed stays the
/// same, and so do the votes; those who have not answered are mailed again. The same deadline again changes nothing and mails
/// nobody. A request can be given more time 16 times.
#[utoipa::path(
    post, path = "/approvals/{id}/extend", tag = "approvals", request_body = Extension,
    params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = Value), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, past its deadline, or APPROVAL_TOO_MANY_EXTENSIONS"), (status = 422, description = "DEADLINE_NOT_LATER"))
)]
pub(crate) async fn extend(
    State(ctx): Ctx,
    signed: Signed,
    Path(id): Path<ApprovalId>,
    Json(body): Json<Extension>,
) -> Result<Json<Value>, Problem> {
    let person = reader(&signed)?;
    let request = found(ctx.approvals.request(&id).await?)?;
    if !may_see(&request, person) {
        return Err(Problem::not_found());
    }
    let who = Who::Session(Box::new(signed.presented));
    let extending = Extending { approval: id.clone(), who, deadline: body.deadline };
    match ctx.gatekeeper.extend(&extending, now()).await {
        Ok(_) => Ok(Json(shown(&ctx, &found(ctx.approvals.load(&id).await?)?).await?)),
        Err(error) => Err(placed(refusal(&ctx, &error).await?, &error)),
    }
}

fn placed(mut problem: Problem, error: &GateError) -> Problem {
    if let GateError::Lifecycle(LifecycleError::DeadlineNotLater) = error {
        problem.errors = vec![FieldError::new("deadline", error.to_string())];
    }
    problem
}
