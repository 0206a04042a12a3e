//! Whose word counts that a POST only reads.
//!
//! `safe: true` is the connector's author speaking, who may be the one that wants to go without a signature. It counts
//! in what the deployment ships; in anybody else's connector an administrator has to accept it first, for exactly the
//! definition they looked at. Where the binding leads elsewhere, or tells the server to do something else, nobody's word
//! counts. What is left is irreversible and needs a signature.

use countersign_canonical::canonical_of;
use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::binding::{Binding, ConfigOverrides, StoredConnector};
use crate::model::{ConnectorDefinition, Operation};

/// An administrator's word that an endpoint only reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedEndpoint {
    /// The endpoint.
    pub endpoint: String,
    /// The definition they looked at, as [`definition_digest`].
    pub definition: String,
    /// Who.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
}

/// SHA-256, hex, of a connector's definition; the order of its keys does not count.
///
/// # Errors
/// The serialiser's message; a definition that was stored has always a JSON form.
pub fn definition_digest(definition: &ConnectorDefinition) -> Result<String, serde_json::Error> {
    Ok(hex::encode(Sha256::digest(canonical_of(definition)?)))
}

impl StoredConnector {
    /// The definition as it is to be used: `safe: true` is left only where it counts. Everything that asks whether a call
    /// has an effect asks this: the planner, the step, the view of the endpoints.
    #[must_use]
    pub fn trusted(&self, binding: Option<&Binding>) -> ConnectorDefinition {
        let mut definition = self.definition.clone();
        if claims(&definition).next().is_none() {
            return definition;
        }
        let accepted = self.accepted_now();
        let moved = binding.is_some_and(|binding| leads_elsewhere(&binding.config_overrides));
        for (name, endpoint) in &mut definition.endpoints {
            if let Operation::Request(rules) = &mut endpoint.operation {
                let counts = self.owner.is_none() || accepted.contains(&name.as_str());
                rules.safe &= counts && !moved;
            }
        }
        definition
    }

    /// The endpoints whose `safe: true` an administrator has accepted for this very definition.
    #[must_use]
    pub fn accepted_now(&self) -> Vec<&str> {
        if self.accepted.is_empty() {
            return Vec::new();
        }
        let Ok(digest) = definition_digest(&self.definition) else { return Vec::new() };
        let now = self.accepted.iter().filter(|accepted| accepted.definition == digest);
        now.map(|accepted| accepted.endpoint.as_str()).collect()
    }
}

/// The endpoints with another method than GET and HEAD that say `safe: true`.
pub fn claims(definition: &ConnectorDefinition) -> impl Iterator<Item = &str> {
    definition.endpoints.iter().filter_map(|(name, endpoint)| match &endpoint.operation {
        Operation::Request(rules) if rules.safe && !rules.method.reads() => Some(name.as_str()),
        _ => None,
    })
}

fn leads_elsewhere(overrides: &ConfigOverrides) -> bool {
    overrides.base_url.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BindingId, Health, Permissions, endpoint_contract, parse};

    const YAML: &str = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  find: { description: finds, method: POST, path: /find, safe: true }\n  drop: { description: drops, method: POST, path: /drop }\n  list: { description: lists, path: / }\n";

    fn stored(owner: Option<UserId>) -> StoredConnector {
        StoredConnector {
            owner,
            definition: parse(YAML).definition.unwrap(),
            yaml: YAML.to_owned(),
            updated_at: Timestamp::UNIX_EPOCH,
            accepted: Vec::new(),
        }
    }

    fn own() -> StoredConnector {
        stored(Some(UserId::from_bytes([1; 16])))
    }

    fn accepted(mut stored: StoredConnector) -> StoredConnector {
        stored.accepted.push(AcceptedEndpoint {
            endpoint: "find".to_owned(),
            definition: definition_digest(&stored.definition).unwrap(),
            by: UserId::from_bytes([9; 16]),
            at: Timestamp::UNIX_EPOCH,
        });
        stored
    }

    fn binding(overrides: &serde_json::Value) -> Binding {
        Binding {
            id: BindingId::from_bytes([1; 16]),
            profile_id: "prof".to_owned(),
            connector_id: crate::ConnectorId::parse("shelf").unwrap(),
            credential: None,
            config_overrides: serde_json::from_value(overrides.clone()).unwrap(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::default(),
        }
    }

    /// Whether a call of `find` has an effect; the other two never change.
    fn check(stored: &StoredConnector, binding: Option<&Binding>, irreversible: bool) {
        let definition = stored.trusted(binding);
        let contract = |name| endpoint_contract(&definition, name).unwrap().irreversible;
        assert_eq!(
            (contract("find"), contract("drop"), contract("list")),
            (irreversible, true, false)
        );
    }

    #[test]
    fn k_25_safe_counts_in_what_the_deployment_ships() {
        check(&stored(None), None, false);
        check(&own(), None, true);
    }

    #[test]
    fn k_25_an_administrator_accepts_one_endpoint_of_one_definition() {
        check(&accepted(own()), None, false);
        let mut newer = accepted(own());
        newer.definition = parse(&YAML.replace("/find", "/fund")).definition.unwrap();
        check(&newer, None, true);
        let mut other = accepted(own());
        other.accepted[0].endpoint = "drop".to_owned();
        check(&other, None, true);
    }

    #[test]
    fn k_25_an_address_of_the_binding_voids_it() {
        let moved = binding(&serde_json::json!({ "base_url": "https://b.example" }));
        let slower = binding(&serde_json::json!({ "timeout_seconds": 5 }));
        for connector in [stored(None), accepted(own())] {
            check(&connector, Some(&moved), true);
            check(&connector, Some(&slower), false);
        }
    }

    #[test]
    fn k_25_parsed_graphql_queries_stay_safe() {
        let yaml = "id: graph\nname: Graph\ntype: graphql\nversion: 1.0.0\nconnection: { endpoint: 'https://a.example/graphql' }\nendpoints:\n  find: { description: finds, query: 'query { items { id } }', response_mapping: { results_path: data.items, fields: { id: id } } }\n";
        let parsed = parse(yaml);
        let definition = parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        let graph = StoredConnector { definition, ..own() };
        let moved = binding(&serde_json::json!({ "base_url": "https://b.example" }));
        for binding in [None, Some(&moved)] {
            let definition = graph.trusted(binding);
            assert!(!endpoint_contract(&definition, "find").unwrap().irreversible);
        }
    }

    #[test]
    fn the_acceptance_is_not_part_of_what_is_signed() {
        let (before, after) = (own(), accepted(own()));
        assert_eq!(
            crate::target_digest(&before.definition, &binding(&serde_json::json!({}))).unwrap(),
            crate::target_digest(&after.definition, &binding(&serde_json::json!({}))).unwrap()
        );
    }
}
