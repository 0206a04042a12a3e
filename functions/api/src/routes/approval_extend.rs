//! `/approvals/{id}/extend`: more time to decide.

use countersign_approval::ApprovalId;
use countersign_gatekeeper::{Extending, Who};
use countersign_web::{Json, Signed};
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

use super::approval::changed;
use super::approval_seen::seen_by;
use super::approval_view::ApprovalView;
use super::{JsonOf, Named, now, reader};
use crate::moments::time;

/// Until when.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extension {
    /// The new deadline: at least an hour later than the present one, at most 300 days after the request was opened.
    #[serde(deserialize_with = "time")]
    #[schema(value_type = String, format = DateTime)]
    deadline: Timestamp,
}

/// Gives a pending request more time. Whoever may vote may do it; who did stands in `extensions`. What is signed stays the
/// same, and so do the votes; those who have not answered are mailed again. The same deadline again changes nothing and mails
/// nobody. A request can be given more time 16 times.
#[utoipa::path(
    post, path = "/approvals/{id}/extend", tag = "approvals", request_body = Extension,
    params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = ApprovalView), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, past its deadline, or APPROVAL_TOO_MANY_EXTENSIONS"), (status = 422, description = "DEADLINE_NOT_LATER"))
)]
pub(crate) async fn extend(
    Named(ctx, signed, id): Named<ApprovalId, Signed>,
    Json(body): Json<Extension>,
) -> JsonOf<ApprovalView> {
    seen_by(&ctx, &id, reader(&signed)?).await?;
    let who = Who::Session(Box::new(signed.presented));
    let extending = Extending { approval: id.clone(), who, deadline: body.deadline };
    changed(&ctx, &id, ctx.gatekeeper.extend(&extending, now()).await).await
}
