//! `/playbooks/{id}` (F-337, F-339, F-340).

use axum::extract::State;
use countersign_store_catalog::StoredPlaybook;
use countersign_web::{Json, Path, Problem, Signed};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::playbooks::PlaybookView;
use super::profile::shipped;
use super::{Ctx, analyst, found, now, reader};
use crate::saving;

/// A playbook's new text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaybookChange)]
pub(crate) struct Change {
    /// The YAML.
    yaml: String,
    /// The revision that was read; when sent, the change is refused if there is a newer one.
    #[serde(default)]
    revision: Option<u64>,
}

/// One playbook: the caller's of this id, or the deployment's.
#[utoipa::path(
    get, path = "/playbooks/{id}", tag = "playbooks", params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = PlaybookView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<String>,
) -> Result<Json<PlaybookView>, Problem> {
    let State(ctx) = ctx;
    Ok(Json(found(ctx.catalog.playbook(reader(&signed)?, &id).await?)?.into()))
}

/// Replaces a playbook's text. Its id cannot change. Runs that have started keep their plan.
#[utoipa::path(
    put, path = "/playbooks/{id}", tag = "playbooks", request_body = Change,
    params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = PlaybookView), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"), (status = 422, description = "PLAYBOOK_INVALID"))
)]
pub(crate) async fn replace(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<String>,
    Json(body): Json<Change>,
) -> Result<Json<PlaybookView>, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let before = found(ctx.catalog.playbook(owner, &id).await?)?;
    if before.owner.is_none() {
        return Err(shipped());
    }
    let (playbook, warnings) = saving::playbook(&ctx, owner, &body.yaml).await?;
    if playbook.id != id {
        return Err(Problem::field("yaml", format!("the id must stay `{id}`")));
    }
    let seen = body.revision.unwrap_or(before.revision);
    let after = StoredPlaybook {
        yaml: body.yaml,
        playbook,
        revision: seen.saturating_add(1),
        updated_at: now(),
        updated_by: Some(owner.clone()),
        ..before
    };
    ctx.catalog.replace_playbook(&after).await?;
    Ok(Json(PlaybookView::written(after, warnings)))
}

/// Removes a playbook of the caller. Runs that have started keep their plan.
#[utoipa::path(
    delete, path = "/playbooks/{id}", tag = "playbooks", params(("id" = String, Path, description = "kebab-case")),
    responses((status = 204), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let before = found(ctx.catalog.playbook(owner, &id).await?)?;
    if before.owner.is_none() {
        return Err(shipped());
    }
    ctx.catalog.delete_playbook(owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
