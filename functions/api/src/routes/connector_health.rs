//! `/connectors/{id}/health` (F-094).

use countersign_connector::{Binding, ConnectorId, Health, RatedBy, StoredConnector};
use countersign_resilience::{HealthView, SourceHealth as _};
use countersign_web::{Json, Problem, Query};
use serde::Serialize;
use utoipa::ToSchema;

use super::answers::HealthAnswer;
use super::{JsonOf, Named, Reader, found, now};
use crate::health_query::HealthQuery;

/// How a connector fares for the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorHealth {
    /// `ok`, `auth_failed` or `unavailable`: what the binding's last call said. Absent without a `profile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    binding: Option<Health>,
    /// Breaker, latency, error rate, and what is left of the budget.
    #[serde(flatten)]
    #[schema(value_type = HealthAnswer)]
    source: HealthView,
}

/// How a connector fares: state, latency, error rate, budget left.
#[utoipa::path(
    get, path = "/connectors/{id}/health", tag = "connectors",
    params(("id" = String, Path, description = "kebab-case"), HealthQuery),
    responses((status = 200, body = ConnectorHealth), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn health(
    Named(ctx, Reader(ref owner), id): Named<ConnectorId>,
    Query(asked): Query<HealthQuery>,
) -> JsonOf<ConnectorHealth> {
    let stored = found(ctx.catalog.connectors().get(owner, &id).await?)?;
    let binding = match &asked.profile {
        None => None,
        Some(profile) => {
            let bindings = ctx.catalog.bindings(owner, profile.as_str()).await?;
            Some(found(bindings.into_iter().find(|binding| binding.connector_id == id))?)
        }
    };
    let stored = as_bound(stored, binding.as_ref());
    let credential = binding.as_ref().and_then(|binding| binding.credential.as_ref());
    let by = credential.map_or(RatedBy::Everybody, |id| RatedBy::Owner(owner, id));
    let definition = &stored.definition;
    let breaker = definition.health_subject(owner, credential);
    let rate = stored.rate_subject(by);
    let source = ctx.egress.health(&breaker, &rate, &definition.budget(), now()).await;
    let source = source.map_err(|error| Problem::of(error.as_ref()))?;
    Ok(Json(ConnectorHealth { binding: binding.map(|binding| binding.health), source }))
}

fn as_bound(stored: StoredConnector, binding: Option<&Binding>) -> StoredConnector {
    match binding {
        None => stored,
        Some(binding) => {
            StoredConnector { definition: stored.definition.bound_by(binding), ..stored }
        }
    }
}
