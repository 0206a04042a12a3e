//! Looking up what a call names: connector, endpoint and binding, under the owner.

use countersign_failure::{Class, Failure};
use countersign_identity::UserId;
use serde_json::{Map, Value};

use crate::binding::{Binding, ConnectorSource, Found, SourceError};
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
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// A param that says what is called is missing.
    #[error("the param `{0}` is missing")]
    Param(&'static str),
    /// No such connector, for this owner.
    #[error("there is no connector `{0}`")]
    UnknownConnector(String),
    /// No such endpoint.
    #[error("the connector `{connector}` has no endpoint `{endpoint}`")]
    UnknownEndpoint {
        /// The connector.
        connector: String,
        /// The endpoint.
        endpoint: String,
    },
    /// The profile has no such connector.
    #[error("the connector `{0}` is not bound to this profile")]
    NotBound(String),
    /// It has, but switched off.
    #[error("the connector `{0}` is disabled for this profile")]
    Disabled(String),
    /// The binding names other endpoints (F-008).
    #[error("this profile may not call `{endpoint}` of `{connector}`")]
    NotAllowed {
        /// The connector.
        connector: String,
        /// The endpoint.
        endpoint: String,
    },
    /// The catalogue does not answer.
    #[error("{0}")]
    Source(SourceError),
}

impl Failure for LookupError {
    fn code(&self) -> &'static str {
        match self {
            Self::Param(_) => "CONNECTOR_ARGUMENT",
            Self::UnknownConnector(_) => "CONNECTOR_UNKNOWN",
            Self::UnknownEndpoint { .. } => "CONNECTOR_ENDPOINT_UNKNOWN",
            Self::NotBound(_) => "CONNECTOR_NOT_BOUND",
            Self::Disabled(_) => "CONNECTOR_DISABLED",
            Self::NotAllowed { .. } => "CONNECTOR_ENDPOINT_NOT_ALLOWED",
            Self::Source(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Source(error) => error.class(),
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Param(_) => 422,
            Self::UnknownConnector(_) | Self::UnknownEndpoint { .. } | Self::NotBound(_) => 404,
            Self::Disabled(_) | Self::NotAllowed { .. } => 403,
            Self::Source(error) => error.http_status(),
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::Param(_) => "correct the call; the connector's schema lists what it takes",
            Self::UnknownConnector(_) => "look at the list of connectors for its id",
            Self::UnknownEndpoint { .. } => "look at the connector's schema for its endpoints",
            Self::NotBound(_) => "bind the connector to the profile",
            Self::Disabled(_) => "enable the connector's binding",
            Self::NotAllowed { .. } => "add the endpoint to the binding's `allowed_endpoints`",
            Self::Source(error) => return error.help(),
        };
        Some(text.to_owned())
    }
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
    let found = connectors.bound(owner, profile, &named(params)?).await;
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
