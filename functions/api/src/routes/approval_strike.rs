//! `/approvals/{id}/strike`: some of what is asked for is left out before anybody signs.

use countersign_approval::{ApprovalId, Assurance, Door, Strike};
use countersign_gatekeeper::{Striking, Who};
use countersign_web::{Json, Signed};
use serde::Deserialize;
use utoipa::ToSchema;

use super::approval::changed;
use super::approval_seen::seen_by;
use super::approval_view::ApprovalView;
use super::{JsonOf, Named, now, reader};

/// What was seen, and what of it is struck out.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strikes {
    /// The digest of what was seen. Without it nothing is struck out.
    #[serde(default)]
    digest: Option<String>,
    /// The version that was seen.
    #[serde(default)]
    version: Option<u32>,
    /// The step, one of `effects`.
    step: String,
    /// All effects of the step that are struck out afterwards, numbered from 0 as in `struck`; those left out of the list are
    /// brought back.
    #[schema(max_items = 1000)]
    indices: Vec<u32>,
}

/// Strikes effects of a step out, or brings them back: the request's next version, with a digest over what is left. Votes so
/// far are void and the other approvers are told. Whoever may vote may strike; the same strike again changes nothing.
#[utoipa::path(
    post, path = "/approvals/{id}/strike", tag = "approvals", request_body = Strikes,
    params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = ApprovalView), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, changed, or past its deadline"), (status = 422, description = "no digest, no such step or effect, or nothing would be left"))
)]
pub(crate) async fn strike(
    Named(ctx, signed, id): Named<ApprovalId, Signed>,
    Json(body): Json<Strikes>,
) -> JsonOf<ApprovalView> {
    seen_by(&ctx, &id, reader(&signed)?).await?;
    let strike = Strike {
        digest: body.digest,
        version: body.version,
        step: body.step,
        indices: body.indices,
        door: Door::Rest,
        assurance: Assurance::SignedIn,
    };
    let who = Who::Session(Box::new(signed.presented));
    let striking = Striking { approval: id.clone(), who, strike };
    changed(&ctx, &id, ctx.gatekeeper.strike(&striking, now()).await).await
}
