//! `/connectors/{id}` (F-327, F-329, F-330).

use axum::extract::State;
use countersign_connector::{ConnectorId, StoredConnector};
use countersign_web::{Json, Path, Problem, Signed};
use http::StatusCode;

use super::connectors::{ConnectorView, Source};
use super::profile::shipped;
use super::{Ctx, analyst, found, now, reader};
use crate::compiling;

/// One connector: the caller's of this id, or the deployment's.
#[utoipa::path(
    get, path = "/connectors/{id}", tag = "connectors", params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = ConnectorView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ConnectorId>,
) -> Result<Json<ConnectorView>, Problem> {
    let State(ctx) = ctx;
    Ok(Json(found(ctx.catalog.connector(reader(&signed)?, &id).await?)?.into()))
}

/// Replaces a connector's text. Its id cannot change.
#[utoipa::path(
    put, path = "/connectors/{id}", tag = "connectors", request_body = Source,
    params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = ConnectorView), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"), (status = 422, description = "CONNECTOR_INVALID"))
)]
pub(crate) async fn replace(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ConnectorId>,
    Json(body): Json<Source>,
) -> Result<Json<ConnectorView>, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let before = found(ctx.catalog.connector(owner, &id).await?)?;
    if before.owner.is_none() {
        return Err(shipped());
    }
    let (definition, warnings) = compiling::connector(&body.yaml)?;
    if definition.id != id {
        return Err(Problem::field("yaml", format!("the id must stay `{id}`")));
    }
    let after = StoredConnector {
        owner: Some(owner.clone()),
        definition,
        yaml: body.yaml,
        updated_at: now(),
    };
    ctx.catalog.replace_connector(&after).await?;
    Ok(Json(ConnectorView::written(after, warnings)))
}

/// Removes a connector of the caller.
#[utoipa::path(
    delete, path = "/connectors/{id}", tag = "connectors", params(("id" = String, Path, description = "kebab-case")),
    responses((status = 204), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ConnectorId>,
) -> Result<StatusCode, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let before = found(ctx.catalog.connector(owner, &id).await?)?;
    if before.owner.is_none() {
        return Err(shipped());
    }
    ctx.catalog.delete_connector(owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
