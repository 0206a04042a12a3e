//! `/api/admin/connectors/{owner}/{id}/safe-endpoints/{endpoint}`.

use countersign_connector::{AcceptedEndpoint, ConnectorId, claims};
use countersign_web::{Json, Problem};
use serde::Deserialize;
use utoipa::ToSchema;

use super::admin_safe_endpoints::{SafeEndpoints, digest, owned};
use super::{Administrator, JsonOf, Named, now};

/// What the administrator looked at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acceptance {
    /// The `definition` of the list.
    definition: String,
}

/// Accepts that an endpoint only reads: calls of it then need no signature. It holds for this definition and endpoint; the
/// owner's next change of the connector, and an address or a header of the binding's own (but User-Agent), void it.
#[utoipa::path(
    put, path = "/connectors/{owner}/{id}/safe-endpoints/{endpoint}", tag = "administration", request_body = Acceptance,
    params(("owner" = String, Path, description = "id, username or address"), ("id" = String, Path, description = "the connector's id"), ("endpoint" = String, Path, description = "the endpoint's name")),
    responses((status = 200, body = SafeEndpoints), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "the connector is another one by now"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn accept(
    Named(ctx, Administrator(by), (owner, id, endpoint)): Named<
        (String, ConnectorId, String),
        Administrator,
    >,
    Json(body): Json<Acceptance>,
) -> JsonOf<SafeEndpoints> {
    let (owner, stored) = owned(&ctx, &owner, &id).await?;
    if !stored.definition.endpoints.contains_key(&endpoint) {
        return Err(Problem::not_found());
    }
    if !claims(&stored.definition).any(|(name, _)| name == endpoint) {
        let message = format!(
            "`{endpoint}` is neither a POST with `safe: true` nor a query of GraphQL; there is nothing to accept"
        );
        return Err(Problem::field("endpoint", message));
    }
    let definition = digest(&stored)?;
    if body.definition != definition {
        let problem = Problem::conflict("VERSION_CONFLICT", "the connector was changed since");
        return Err(problem.with_hint("look at its endpoints again and send their `definition`"));
    }
    let mut accepted = stored.accepted.clone();
    accepted.retain(|known| known.endpoint != endpoint && known.definition == definition);
    tracing::info!(%owner, connector = %id, endpoint, %by, definition, "an endpoint was accepted as safe");
    accepted.push(AcceptedEndpoint { endpoint, definition, by, at: now() });
    let stored = ctx.catalog.connectors().set_accepted(&stored, accepted).await?;
    Ok(Json(SafeEndpoints::of(owner, &stored)?))
}

/// Takes an acceptance back: from now on calls of the endpoint need a signature again.
#[utoipa::path(
    delete, path = "/connectors/{owner}/{id}/safe-endpoints/{endpoint}", tag = "administration",
    params(("owner" = String, Path, description = "id, username or address"), ("id" = String, Path, description = "the connector's id"), ("endpoint" = String, Path, description = "the endpoint's name")),
    responses((status = 200, body = SafeEndpoints), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn withdraw(
    Named(ctx, Administrator(ref by), (owner, id, endpoint)): Named<
        (String, ConnectorId, String),
        Administrator,
    >,
) -> JsonOf<SafeEndpoints> {
    let (owner, stored) = owned(&ctx, &owner, &id).await?;
    let mut accepted = stored.accepted.clone();
    accepted.retain(|known| known.endpoint != endpoint);
    if accepted.len() == stored.accepted.len() {
        return Err(Problem::not_found());
    }
    tracing::info!(%owner, connector = %id, endpoint, %by, "an endpoint is not accepted as safe any more");
    let stored = ctx.catalog.connectors().set_accepted(&stored, accepted).await?;
    Ok(Json(SafeEndpoints::of(owner, &stored)?))
}
