//! Everything that decides what a call is answered with, as a digest: part of the key of a stored answer.

use countersign_canonical::canonical_of;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::binding::{Binding, ConfigOverrides, CredentialId};
use crate::model::ConnectorDefinition;

#[derive(Serialize)]
struct Target<'a> {
    definition: &'a ConnectorDefinition,
    overrides: &'a ConfigOverrides,
    credential: Option<&'a CredentialId>,
}

/// SHA-256, hex, of everything that decides what a call sends and where: the definition, the binding's values and which
/// credential it uses. Health, rates and permissions are not part of it.
///
/// # Errors
/// The serialiser's message; a definition that was stored has always a JSON form.
pub fn target_digest(
    definition: &ConnectorDefinition,
    binding: &Binding,
) -> Result<String, serde_json::Error> {
    let target = Target {
        definition,
        overrides: &binding.config_overrides,
        credential: binding.credential.as_ref(),
    };
    // Through a value with sorted keys, so that the order in which maps are stored does not count.
    let value: std::collections::BTreeMap<String, serde_json::Value> =
        serde_json::from_value(serde_json::to_value(&target)?)?;
    let text = canonical_of(&value)?;
    Ok(hex::encode(Sha256::digest(text)))
}
