//! Looking up what a call names: connector, endpoint and binding, under the owner.

use countersign_failure::Failure;
use countersign_identity::UserId;
use serde_json::{Map, Value};

use crate::binding::{AgentConnector, Binding, ConnectorSource, Found, SourceError};
use crate::model::{ConnectorDefinition, ConnectorId, Endpoint};

/// A connector's endpoint as a profile may call it.
#[derive(Debug, Clone)]
pub struct Bound {
    /// Who owns the connector; nobody a system template.
    pub owner: Option<UserId>,
    /// The connector, with the values the binding replaces.
    pub definition: ConnectorDefinition,
    /// The endpoint's name.
    pub endpoint_name: String,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The binding.
    pub binding: Binding,
}

/// Why a call cannot be made.
#[derive(Debug, thiserror::Error, Failure)]
pub enum LookupError {
    /// A param that says what is called is missing.
    #[error("the param `{0}` is missing")]
    #[failure(
        code = "CONNECTOR_ARGUMENT",
        status = 422,
        help = "correct the call; the connector's schema lists what it takes"
    )]
    Param(&'static str),
    /// No such connector, for this owner.
    #[error("there is no connector `{0}`")]
    #[failure(
        code = "CONNECTOR_UNKNOWN",
        status = 404,
        help = "look at the list of connectors for its id"
    )]
    UnknownConnector(String),
    /// No such endpoint.
    #[error("the connector `{connector}` has no endpoint `{endpoint}`")]
    #[failure(
        code = "CONNECTOR_ENDPOINT_UNKNOWN",
        status = 404,
        help = "look at the connector's schema for its endpoints"
    )]
    UnknownEndpoint {
        /// The connector.
        connector: String,
        /// The endpoint.
        endpoint: String,
    },
    /// The profile has no such connector.
    #[error("the connector `{0}` is not bound to this profile")]
    #[failure(
        code = "CONNECTOR_NOT_BOUND",
        status = 404,
        help = "bind the connector to the profile"
    )]
    NotBound(String),
    /// It has, but switched off.
    #[error("the connector `{0}` is disabled for this profile")]
    #[failure(code = "CONNECTOR_DISABLED", status = 403, help = "enable the connector's binding")]
    Disabled(String),
    /// The binding names other endpoints (F-008).
    #[error("this profile may not call `{endpoint}` of `{connector}`")]
    #[failure(
        code = "CONNECTOR_ENDPOINT_NOT_ALLOWED",
        status = 403,
        help = "add the endpoint to the binding's `allowed_endpoints`"
    )]
    NotAllowed {
        /// The connector.
        connector: String,
        /// The endpoint.
        endpoint: String,
    },
    /// The catalogue does not answer.
    #[error("{0}")]
    #[failure(forward)]
    Source(SourceError),
}

/// Looks up the endpoint that a call's params `connector` and `endpoint` name, as the profile may call it.
///
/// # Errors
/// [`LookupError`] when there is none, or the profile may not call it.
pub async fn find(
    connectors: &dyn ConnectorSource,
    owner: &UserId,
    profile: &str,
    params: &Map<String, Value>,
) -> Result<Bound, LookupError> {
    let of = AgentConnector {
        owner: owner.clone(),
        profile: profile.to_owned(),
        connector: named(params)?,
    };
    let found = connectors.bound(&of).await;
    bound(found.map_err(LookupError::Source)?, params)
}

/// The connector that a call's params name.
///
/// # Errors
/// [`LookupError`] when they name none.
pub fn named(params: &Map<String, Value>) -> Result<ConnectorId, LookupError> {
    let connector = param(params, "connector")?;
    ConnectorId::parse(connector).map_err(|_| LookupError::UnknownConnector(connector.to_owned()))
}

/// The endpoint that a call's params name, of what was found, as the profile may call it.
///
/// # Errors
/// [`LookupError`] when there is none, or the profile may not call it.
pub fn bound(found: Found, params: &Map<String, Value>) -> Result<Bound, LookupError> {
    let (connector, endpoint) = (param(params, "connector")?, param(params, "endpoint")?);
    let Found { connector: stored, binding } = found;
    let stored = stored.ok_or_else(|| LookupError::UnknownConnector(connector.to_owned()))?;
    let binding = binding.ok_or_else(|| LookupError::NotBound(connector.to_owned()))?;
    let definition = stored.trusted(Some(&binding));
    if !binding.is_enabled {
        return Err(LookupError::Disabled(connector.to_owned()));
    }
    let names = || (connector.to_owned(), endpoint.to_owned());
    let Some(found) = definition.endpoints.get(endpoint).cloned() else {
        let (connector, endpoint) = names();
        return Err(LookupError::UnknownEndpoint { connector, endpoint });
    };
    if !binding.permissions.allows(endpoint) {
        let (connector, endpoint) = names();
        return Err(LookupError::NotAllowed { connector, endpoint });
    }
    Ok(Bound {
        owner: stored.owner,
        definition: definition.bound_by(&binding),
        endpoint_name: endpoint.to_owned(),
        endpoint: found,
        binding,
    })
}

fn param<'p>(params: &'p Map<String, Value>, name: &'static str) -> Result<&'p str, LookupError> {
    params.get(name).and_then(Value::as_str).ok_or(LookupError::Param(name))
}
