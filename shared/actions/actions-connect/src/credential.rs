//! The credential of a call: its owner's, else the deployment's where that may go (K-37).

use countersign_connector::{Credential, CredentialId};
use countersign_registry::action::Call;

use crate::binding::Resolved;
use crate::deps::Deps;
use crate::error::ConnectError;

/// The owner's credential of this id; without an id the deployment's, for a call without an effect.
pub(crate) async fn find(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    id: Option<&CredentialId>,
) -> Result<Option<Credential>, ConnectError> {
    let Some(id) = id else {
        return if call.permit.is_none() { deployments(deps, resolved).await } else { Ok(None) };
    };
    let connector = &resolved.definition.id;
    deps.credentials.credential(&call.owner, id, connector).await.map_err(ConnectError::Source)
}

/// All parts, or nothing: half a credential would be sent in vain.
async fn deployments(deps: &Deps, resolved: &Resolved) -> Result<Option<Credential>, ConnectError> {
    let parts = &resolved.from_deployment;
    let Some(secrets) = deps.deployment.as_ref().filter(|_| !parts.is_empty()) else {
        return Ok(None);
    };
    let mut credential = Credential::default();
    for wanted in parts {
        let found = secrets.secret(&wanted.secret).await.map_err(ConnectError::Source)?;
        let Some(secret) = found else { return Ok(None) };
        credential = credential.with(&wanted.part, secret);
    }
    Ok(Some(credential))
}
