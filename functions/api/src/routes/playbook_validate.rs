//! `/playbooks/{id}/validate` (F-342): a stored playbook, as it would start now.

use countersign_web::Json;
use serde::Deserialize;
use utoipa::ToSchema;

use super::answers::JudgementAnswer;
use super::playbooks_validate::validated;
use super::{JsonOf, Named, Reader, found};
use countersign_playbook::render::Judgement;

/// For which agent.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct For {
    /// The agent it should run for, `prof_…`.
    #[serde(default)]
    profile_id: Option<String>,
}

/// Validates a stored playbook, with an agent's connectors when one is named.
#[utoipa::path(
    post, path = "/playbooks/{id}/validate", tag = "playbooks", request_body = Option<For>,
    params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = JudgementAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn validate(
    Named(ctx, Reader(ref owner), id): Named<String>,
    body: Option<Json<For>>,
) -> JsonOf<Judgement> {
    let Json(body) = body.unwrap_or_default();
    let stored = found(ctx.catalog.playbooks().get(owner, &id).await?)?;
    validated(&ctx, owner, &stored.yaml, body.profile_id.as_deref()).await
}
