//! `/api/admin/connectors/{owner}/{id}/safe-endpoints`: what a person's connector claims only to read, and what of it counts.

use countersign_connector::{
    AcceptedEndpoint, Connection, ConnectorId, Operation, StoredConnector, claims,
    definition_digest,
};
use countersign_identity::UserId;
use countersign_web::{Json, Problem};
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::admin_user::person;
use super::{Administrator, JsonOf, Named, found};
use crate::Context;

/// A connector's claims, and the definition an acceptance is for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SafeEndpoints {
    /// Whose connector it is.
    #[schema(value_type = String)]
    owner: UserId,
    /// The connector.
    #[schema(value_type = String)]
    connector: ConnectorId,
    /// The digest of its definition: send it along with an acceptance. Another text has another.
    definition: String,
    /// The text itself.
    yaml: String,
    /// The endpoints of which its author says that they only read: each POST with `safe: true`, and each query of GraphQL.
    endpoints: Vec<SafeEndpoint>,
}

/// An endpoint of which the connector's author says that it only reads.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SafeEndpoint {
    /// Its name.
    endpoint: String,
    /// What it calls: method and path; of GraphQL, method and address.
    calls: String,
    /// Whether the claim counts: then calls of it need no signature.
    is_accepted: bool,
    /// Who accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    accepted_by: Option<UserId>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    accepted_at: Option<Timestamp>,
}

impl SafeEndpoints {
    /// The view of a connector that belongs to a person.
    pub(super) fn of(owner: UserId, stored: &StoredConnector) -> Result<Self, Problem> {
        let definition = digest(stored)?;
        let current = |name: &str| {
            let mut all = stored.accepted.iter();
            all.find(|accepted| accepted.endpoint == name && accepted.definition == definition)
        };
        let endpoints = claims(&stored.definition)
            .map(|(name, _)| SafeEndpoint::of(stored, name, current(name)))
            .collect();
        Ok(Self {
            owner,
            connector: stored.definition.id.clone(),
            yaml: stored.yaml.clone(),
            endpoints,
            definition,
        })
    }
}

impl SafeEndpoint {
    fn of(stored: &StoredConnector, name: &str, accepted: Option<&AcceptedEndpoint>) -> Self {
        let operation = stored.definition.endpoints.get(name).map(|endpoint| &endpoint.operation);
        let calls = match (operation, &stored.definition.connection) {
            (Some(Operation::Request(rules)), _) => {
                format!("{} {}", rules.method.as_str(), rules.path)
            }
            (Some(Operation::Graphql(_)), Connection::Graphql(graphql)) => {
                format!("POST {}", graphql.endpoint)
            }
            _ => String::new(),
        };
        Self {
            endpoint: name.to_owned(),
            calls,
            is_accepted: accepted.is_some(),
            accepted_by: accepted.map(|accepted| accepted.by.clone()),
            accepted_at: accepted.map(|accepted| accepted.at),
        }
    }
}

/// The digest of a stored definition.
pub(super) fn digest(stored: &StoredConnector) -> Result<String, Problem> {
    definition_digest(&stored.definition).map_err(|error| {
        let detail = format!("the connector's definition has no canonical form: {error}");
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "CONNECTOR_INVALID", detail)
    })
}

/// A person's own connector. What the deployment ships is no person's: its claims count as they are.
pub(super) async fn owned(
    ctx: &Context,
    owner: &str,
    id: &ConnectorId,
) -> Result<(UserId, StoredConnector), Problem> {
    let owner = person(ctx, owner).await?.id;
    let stored = found(ctx.catalog.connectors().own(&owner, id).await?)?;
    Ok((owner, stored))
}

/// What a person's connector claims only to read. Such a claim counts once it is accepted; until then a call needs a
/// signature.
#[utoipa::path(
    get, path = "/connectors/{owner}/{id}/safe-endpoints", tag = "administration",
    params(("owner" = String, Path, description = "id, username or address"), ("id" = String, Path, description = "the connector's id")),
    responses((status = 200, body = SafeEndpoints), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    Named(ctx, _, (owner, id)): Named<(String, ConnectorId), Administrator>,
) -> JsonOf<SafeEndpoints> {
    let (owner, stored) = owned(&ctx, &owner, &id).await?;
    Ok(Json(SafeEndpoints::of(owner, &stored)?))
}
