//! `/connectors/{id}` (F-327, F-329, F-330).

use axum::extract::State;
use countersign_connector::{ConnectorId, StoredConnector};
use countersign_identity::UserId;
use countersign_store_catalog::{Catalog, Listing};
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
        accepted: Vec::new(),
    };
    ctx.catalog.replace_connector(&after).await?;
    Ok(Json(ConnectorView::written(after, warnings)))
}

/// A connector that agents still have would leave its credentials to the next one of that name.
async fn unbound(catalog: &Catalog, owner: &UserId, id: &ConnectorId) -> Result<(), Problem> {
    let mut after: Option<String> = None;
    let mut holders = Vec::new();
    loop {
        let listing = Listing { of: None, limit: 100, after: after.as_deref() };
        let page = catalog.profiles(owner, listing).await?;
        for profile in page.items {
            let bindings = catalog.bindings(owner, profile.id.as_str()).await?;
            if bindings.iter().any(|binding| binding.connector_id == *id) {
                holders.push(format!("`{}` ({})", profile.spec.name, profile.id));
            }
        }
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    if holders.is_empty() {
        return Ok(());
    }
    let told = holders.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let message = format!("{} agents have the connector: {told}", holders.len());
    let problem = Problem::conflict("CONNECTOR_BOUND", message);
    Err(problem.with_hint("remove it from their data sources first"))
}

/// Removes a connector of the caller that no agent has.
#[utoipa::path(
    delete, path = "/connectors/{id}", tag = "connectors", params(("id" = String, Path, description = "kebab-case")),
    responses((status = 204), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "CONNECTOR_BOUND"))
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
    unbound(&ctx.catalog, owner, &id).await?;
    ctx.catalog.delete_connector(owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
