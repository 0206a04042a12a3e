//! What may be called: connector, endpoint and binding, looked up under the owner.

use std::sync::Arc;

use countersign_connector::{
    Binding, ConnectorDefinition, ConnectorId, Endpoint, Found, RateLimit, TARGET_PARAM,
    is_irreversible, target_digest,
};
use countersign_registry::action::Call;
use countersign_resilience::Subject;
use serde_json::Value;

use crate::error::ConnectError;
use crate::handler::{Deps, Mode};
use crate::meter::Meter;

/// A call that may be made.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) definition: ConnectorDefinition,
    pub(crate) endpoint_name: String,
    pub(crate) endpoint: Endpoint,
    pub(crate) binding: Binding,
    /// Counts what is called.
    pub(crate) meter: Arc<Meter>,
}

impl Resolved {
    pub(crate) fn connector(&self) -> String {
        self.definition.id.to_string()
    }

    /// What the breaker of the call is about.
    pub(crate) fn health_subject(&self, call: &Call) -> Subject {
        self.definition.health_subject(&call.owner, self.binding.credential.as_ref())
    }

    /// The stricter of the connector's and the binding's rates (F-008).
    pub(crate) fn requests_per_second(&self) -> Option<f64> {
        let own = self.definition.connection.rate_limit().and_then(per_second);
        let lower = self.binding.permissions.rate_limit_override.and_then(per_second);
        [own, lower].into_iter().flatten().reduce(f64::min)
    }
}

fn per_second(limit: RateLimit) -> Option<f64> {
    let second = limit.requests_per_second.map(f64::from);
    let minute = limit.requests_per_minute.map(|count| f64::from(count) / 60.0);
    [second, minute].into_iter().flatten().reduce(f64::min)
}

/// Looks the call up and checks that this profile may make it, here.
pub(crate) async fn resolve(
    deps: &Deps,
    call: &Call,
    mode: Mode,
) -> Result<Resolved, ConnectError> {
    let connector = param(call, "connector")?;
    let endpoint_name = param(call, "endpoint")?;
    let unknown = || ConnectError::UnknownConnector(connector.to_owned());
    let id = ConnectorId::parse(connector).map_err(|_| unknown())?;
    let both = deps.connectors.bound(&call.owner, &call.info.profile_id, &id).await;
    let Found { connector: stored, binding } = both.map_err(ConnectError::Source)?;
    let stored = stored.ok_or_else(unknown)?;
    let binding = binding.ok_or_else(|| ConnectError::NotBound(connector.to_owned()))?;
    let definition = stored.trusted(Some(&binding));
    if !binding.is_enabled {
        return Err(ConnectError::Disabled(connector.to_owned()));
    }
    let names = || (connector.to_owned(), endpoint_name.to_owned());
    let Some(endpoint) = definition.endpoints.get(endpoint_name).cloned() else {
        let (connector, endpoint) = names();
        return Err(ConnectError::UnknownEndpoint { connector, endpoint });
    };
    if !binding.permissions.allows(endpoint_name) {
        let (connector, endpoint) = names();
        return Err(ConnectError::NotAllowed { connector, endpoint });
    }
    if let Some(problem) = mode.refuses(is_irreversible(&endpoint)) {
        let (connector, endpoint) = names();
        return Err(ConnectError::WrongMode { connector, endpoint, problem });
    }
    if let Some(signed) = call.params.get(TARGET_PARAM).and_then(Value::as_str)
        && target_digest(&stored.definition, &binding).ok().as_deref() != Some(signed)
    {
        return Err(ConnectError::Changed(connector.to_owned()));
    }
    let endpoint_name = endpoint_name.to_owned();
    let definition = definition.bound_by(&binding);
    let meter = Arc::new(Meter::new(deps, call, stored.owner.as_ref(), &definition, &binding));
    Ok(Resolved { definition, endpoint_name, endpoint, binding, meter })
}

fn param<'c>(call: &'c Call, name: &str) -> Result<&'c str, ConnectError> {
    let value = call.params.get(name).and_then(Value::as_str);
    value.ok_or_else(|| ConnectError::Argument(format!("the param `{name}` is missing")))
}
