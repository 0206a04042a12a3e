//! What may be called: connector, endpoint and binding, looked up under the owner.

use std::sync::Arc;

use countersign_connector::{
    Binding, Bound, ConnectorDefinition, DeploymentPart, Endpoint, RateLimit, deployment_parts,
    find, is_irreversible,
};
use countersign_registry::action::Call;
use countersign_resilience::LimitKey;

use crate::deps::Deps;
use crate::error::ConnectError;
use crate::mode::Mode;
use crate::rate_meter::Meter;

/// A call that may be made.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) definition: ConnectorDefinition,
    pub(crate) endpoint_name: String,
    pub(crate) endpoint: Endpoint,
    pub(crate) binding: Binding,
    /// What the deployment's secrets fill.
    pub(crate) from_deployment: Vec<DeploymentPart>,
    /// Counts what is called.
    pub(crate) meter: Arc<Meter>,
}

impl Resolved {
    pub(crate) fn connector(&self) -> String {
        self.definition.id.to_string()
    }

    /// What the breaker of the call is about.
    pub(crate) fn health_subject(&self, call: &Call) -> LimitKey {
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
    let connectors = deps.connectors.as_ref();
    let Bound { owner, definition, endpoint_name, endpoint, binding } =
        find(connectors, &call.owner, &call.info.profile_id, &call.params).await?;
    if let Some(problem) = mode.refuses(is_irreversible(&endpoint)) {
        let connector = definition.id.to_string();
        return Err(ConnectError::WrongMode { connector, endpoint: endpoint_name, problem });
    }
    if mode == Mode::Write && call.permit.is_none() {
        return Err(ConnectError::Unsigned(definition.id.to_string()));
    }
    let meter = Arc::new(Meter::new(deps, call, owner.as_ref(), &definition, &binding));
    let from_deployment = deployment_parts(owner.as_ref(), &definition, &binding);
    Ok(Resolved { definition, endpoint_name, endpoint, binding, from_deployment, meter })
}
