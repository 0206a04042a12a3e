//! The deployment's own credentials (K-37): for whoever has none of their own, and only where a shipped connector goes as it was
//! shipped. Whoever changes where a call goes, what it says of itself or how often it is made has to bring a credential.

use countersign_identity::UserId;

use crate::binding::{Binding, ConfigOverrides, SourceFuture, StoredConnector};
use crate::model::ConnectorDefinition;
use crate::secret::Secret;

/// Reads the deployment's secrets by the names that `env_var` has. `deployment-secrets` implements it.
pub trait DeploymentSecrets: Send + Sync {
    /// The secret, or `None` when the deployment has none of this name.
    fn secret<'a>(&'a self, name: &'a str) -> SourceFuture<'a, Option<Secret>>;
}

/// A part of a credential, and the name of the deployment's secret that may fill it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentPart {
    /// Such as `api_key`.
    pub part: String,
    /// Such as `FEC_API_KEY`.
    pub secret: String,
}

impl ConnectorDefinition {
    /// What the deployment's secrets fill; nothing when a part that calls need has no name.
    fn deployment_parts(&self) -> Vec<DeploymentPart> {
        let named = self.auth_fields.iter().filter_map(|field| {
            let secret = field.env_var.clone()?;
            Some(DeploymentPart { part: field.name.clone(), secret })
        });
        let named: Vec<DeploymentPart> = named.collect();
        let has = |part: &&str| named.iter().any(|one| one.part == **part);
        let needed = self.credential_fields();
        if !needed.is_empty() && needed.iter().all(has) { named } else { Vec::new() }
    }
}

impl StoredConnector {
    /// Whether these values keep the deployment's credential away, so that the binding needs one of its own.
    #[must_use]
    pub fn needs_own_credential(&self, overrides: &ConfigOverrides) -> bool {
        self.owner.is_none()
            && !is_as_shipped(overrides)
            && !self.definition.deployment_parts().is_empty()
    }
}

/// What the deployment's secrets fill in a call of this binding: nothing when it has a credential of its own, when the
/// connector is somebody's, or when the binding changes what the template says.
#[must_use]
pub fn deployment_parts(
    owner: Option<&UserId>,
    definition: &ConnectorDefinition,
    binding: &Binding,
) -> Vec<DeploymentPart> {
    let is_free =
        owner.is_none() && binding.credential.is_none() && is_as_shipped(&binding.config_overrides);
    if is_free { definition.deployment_parts() } else { Vec::new() }
}

/// Address, headers and rate are the template's.
fn is_as_shipped(overrides: &ConfigOverrides) -> bool {
    let ConfigOverrides { base_url, timeout_seconds: _, headers, rate_limit, max_file_size_mb: _ } =
        overrides;
    base_url.is_none() && headers.is_empty() && rate_limit.is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{BindingId, ConnectorId, CredentialId, Health, Permissions, parse_template};

    const YAML: &str = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nauth_fields: [{ name: api_key, env_var: SHELF_KEY }]\nconnection: { base_url: 'https://a.example', auth: { type: api_key, key_param: key } }\nendpoints:\n  list: { description: lists, path: / }\n";

    /// Whether a binding may use the deployment's secret, and whether it is asked for one of its own when it is written.
    fn check(owner: Option<u8>, own: bool, overrides: &Value, expect: (bool, bool)) {
        let definition = parse_template(YAML).definition.unwrap();
        let owner = owner.map(|n| UserId::from_bytes([n; 16]));
        let binding = Binding {
            id: BindingId::from_bytes([1; 16]),
            profile_id: "prof".to_owned(),
            connector_id: ConnectorId::parse("shelf").unwrap(),
            credential: own.then(|| CredentialId::from_bytes([2; 16])),
            config_overrides: serde_json::from_value(overrides.clone()).unwrap(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::default(),
        };
        let parts = deployment_parts(owner.as_ref(), &definition, &binding);
        let secret = [DeploymentPart { part: "api_key".into(), secret: "SHELF_KEY".into() }];
        assert_eq!(parts, if expect.0 { &secret[..] } else { &[] }, "{overrides}");
        let updated_at = jiff::Timestamp::UNIX_EPOCH;
        let (yaml, accepted) = (YAML.to_owned(), Vec::new());
        let stored = StoredConnector { owner, definition, yaml, updated_at, accepted };
        assert_eq!(stored.needs_own_credential(&binding.config_overrides), expect.1, "{overrides}");
    }

    #[test]
    fn k_37_the_deployments_credential_goes_only_where_its_template_goes() {
        check(None, false, &json!({}), (true, false));
        check(None, false, &json!({ "timeout_seconds": 10 }), (true, false));
        check(None, true, &json!({}), (false, false));
        check(Some(1), false, &json!({}), (false, false));
        for moved in [
            json!({ "base_url": "https://b.example" }),
            json!({ "headers": { "x-forwarded-host": "b.example" } }),
            json!({ "rate_limit": { "requests_per_second": 1000 } }),
        ] {
            check(None, false, &moved, (false, true));
            check(None, true, &moved, (false, true));
            check(Some(1), false, &moved, (false, false));
        }
    }

    #[test]
    fn k_37_a_connector_without_a_name_for_each_part_gets_nothing() {
        let half = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nauth_fields: [{ name: username, env_var: SHELF_USER }, { name: password }]\nconnection: { base_url: 'https://a.example', auth: { type: basic } }\nendpoints:\n  list: { description: lists, path: / }\n";
        assert_eq!(parse_template(half).definition.unwrap().deployment_parts(), []);
        let open = YAML.replace("auth_fields: [{ name: api_key, env_var: SHELF_KEY }]\n", "");
        let open = open.replace(", auth: { type: api_key, key_param: key }", "");
        assert_eq!(parse_template(&open).definition.unwrap().deployment_parts(), []);
    }
}
