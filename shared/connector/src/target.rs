//! Where a call goes, as a digest that is signed with its arguments.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::binding::{Binding, ConfigOverrides, CredentialId};
use crate::model::{Connection, ConnectorDefinition, Operation};

/// The param of a planned call that says where it goes. The plan sets it for every call with an effect, so it is sealed and
/// signed: editing the connector or its binding afterwards makes the signature worthless.
pub const TARGET_PARAM: &str = "_target";

/// The param beside it that says the same for people: they sign what they can read.
pub const SENDS_PARAM: &str = "sends";

/// Method and address of an endpoint with an effect, as the binding leads to it; placeholders stand for arguments.
#[must_use]
pub fn sends(
    definition: &ConnectorDefinition,
    binding: &Binding,
    endpoint: &str,
) -> Option<String> {
    let operation = &definition.endpoints.get(endpoint)?.operation;
    let bound = definition.clone().bound_by(binding);
    match (&bound.connection, operation) {
        (Connection::RestApi(rest), Operation::Request(rules)) => {
            let base = rest.base_url.trim_end_matches('/');
            Some(format!("{} {base}{}", rules.method.as_str(), rules.path))
        }
        (Connection::Graphql(graphql), Operation::Graphql(_)) => {
            Some(format!("mutation at {}", graphql.endpoint))
        }
        _ => None,
    }
}

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
    let text = serde_json_canonicalizer::to_vec(&value)?;
    Ok(hex::encode(Sha256::digest(text)))
}
