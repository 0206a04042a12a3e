//! `/approvals/{id}/revise`: what is asked for is rewritten, with instructions, before anybody signs (R-060, K-09).

use countersign_approval::{ApprovalId, Verdict};
use countersign_gatekeeper::Answer;
use countersign_web::{Json, Signed};
use serde::Deserialize;
use utoipa::ToSchema;

use super::approval_decide::{Decision, DecisionAnswer, decide};
use super::{JsonOf, Named};

/// What was seen, and what is to be changed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// The digest of what was seen. Without it nothing is changed.
    #[serde(default)]
    digest: Option<String>,
    /// The version that was seen.
    #[serde(default)]
    version: Option<u32>,
    /// How the instructions relate to what was asked before.
    mode: Mode,
    /// What is to be changed, 1 to 2,000 characters: the model is told it as a part of its task.
    #[serde(default)]
    instructions: String,
}

/// How instructions relate to what was asked before.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Both are to be done.
    Enhance,
    /// The instructions replace it.
    Override,
}

impl Mode {
    /// The verdict that asks for changes so.
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Enhance => Verdict::Enhance,
            Self::Override => Verdict::Override,
        }
    }
}

/// Asks for changes: the request is closed as `superseded`, the steps that it names as `revisable` are rewritten by their
/// models with the instructions, and the gate asks again with another request. Nothing is sent. Whoever may vote may ask for
/// changes, and the same wish again gets the first receipt.
#[utoipa::path(
    post, path = "/approvals/{id}/revise", tag = "approvals", request_body = Changes,
    params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = DecisionAnswer), (status = 403, description = "not allowed to decide this"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "closed, changed, past its deadline, or changed too often"), (status = 422, description = "no digest, no instructions, or nothing that a model could rewrite"))
)]
pub(crate) async fn revise(
    Named(ctx, signed, id): Named<ApprovalId, Signed>,
    Json(body): Json<Changes>,
) -> JsonOf<Answer> {
    let note = Some(body.instructions.trim().to_owned());
    let decision =
        Decision { digest: body.digest, version: body.version, answers: Vec::new(), note };
    decide(&ctx, signed, id, body.mode.verdict(), decision).await
}
