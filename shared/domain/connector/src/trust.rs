//! Whose word counts that a POST only reads.
//!
//! `safe: true`, and that an address answers queries of GraphQL, is the connector's author speaking, who may be the one
//! that wants to go without a signature. It counts in what the deployment ships; in anybody else's connector an
//! administrator has to accept it first, for exactly the definition they looked at. Where the binding leads elsewhere, or
//! may tell the server to do something else, nobody's word counts. What is left is irreversible and needs a signature.

use countersign_canonical::canonical_of;
use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::binding::{Binding, ConfigOverrides, StoredConnector};
use crate::model::{ConnectorDefinition, GraphqlEffect, Operation};

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

/// How an author says that a POST only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// By `safe: true`.
    Safe,
    /// By a document of GraphQL that is a query: that the address takes it for one, nobody has checked.
    Query,
}

impl Claim {
    fn of(operation: &Operation) -> Option<Self> {
        match operation {
            Operation::Request(rules) if rules.safe && !rules.method.reads() => Some(Self::Safe),
            Operation::Graphql(rules) if !rules.has_effect() => Some(Self::Query),
            _ => None,
        }
    }

    /// The key of the endpoint that says it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Query => "query",
        }
    }
}

/// SHA-256, hex, of a connector's definition; the order of its keys does not count.
///
/// # Errors
/// The serialiser's message; a definition that was stored has always a JSON form.
pub fn definition_digest(definition: &ConnectorDefinition) -> Result<String, serde_json::Error> {
    Ok(hex::encode(Sha256::digest(canonical_of(definition)?)))
}

impl StoredConnector {
    /// The definition as it is to be used: a claim is left only where it counts. Everything that asks whether a call has an
    /// effect asks this: the planner, the step, the view of the endpoints.
    #[must_use]
    pub fn trusted(&self, binding: Option<&Binding>) -> ConnectorDefinition {
        let mut definition = self.definition.clone();
        if claims(&definition).next().is_none() {
            return definition;
        }
        let accepted = self.accepted_now();
        let changed = binding.is_some_and(|binding| changes_requests(&binding.config_overrides));
        for (name, endpoint) in &mut definition.endpoints {
            let counts = self.owner.is_none() || accepted.contains(&name.as_str());
            if changed || !counts {
                distrust(&mut endpoint.operation);
            }
        }
        definition
    }

    /// The endpoints whose claim an administrator has accepted for this very definition.
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

/// The endpoints whose author says that their POST only reads, and how.
pub fn claims(definition: &ConnectorDefinition) -> impl Iterator<Item = (&str, Claim)> {
    let endpoints = definition.endpoints.iter();
    endpoints.filter_map(|(name, endpoint)| Some((name.as_str(), Claim::of(&endpoint.operation)?)))
}

/// Takes the claim of an endpoint away, if it has one: its calls have an effect.
fn distrust(operation: &mut Operation) {
    match operation {
        Operation::Request(rules) => rules.safe = false,
        Operation::Graphql(rules) => rules.effect = GraphqlEffect::Mutation,
        _ => {}
    }
}

/// Whether a binding sends requests elsewhere, or with a header that may name another operation, path or method. A
/// User-Agent only says who asks.
fn changes_requests(overrides: &ConfigOverrides) -> bool {
    overrides.base_url.is_some() || overrides.headers.iter().any(|(name, _)| name != "user-agent")
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

    const GRAPH: &str = "id: graph\nname: Graph\ntype: graphql\nversion: 1.0.0\nconnection: { endpoint: 'https://a.example/graphql' }\nendpoints:\n  find: { description: finds, query: 'query { items { id } }', response_mapping: { results_path: data.items, fields: { id: id } } }\n  drop: { description: drops, query: 'mutation { drop }' }\n";

    fn graph(owner: Option<UserId>) -> StoredConnector {
        let parsed = parse(GRAPH);
        let definition = parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        StoredConnector { definition, ..stored(owner) }
    }

    #[test]
    fn k_25_what_a_binding_changes_of_a_request_voids_it() {
        let changed = [
            serde_json::json!({ "base_url": "https://b.example" }),
            serde_json::json!({ "headers": { "X-Amz-Target": "Table.DeleteItem" } }),
            serde_json::json!({ "headers": { "user-agent": "Desk", "x-original-url": "/drop" } }),
        ];
        let kept = [
            serde_json::json!({ "timeout_seconds": 5 }),
            serde_json::json!({ "headers": { "User-Agent": "Desk desk@example.org" } }),
        ];
        for overrides in changed {
            for connector in [stored(None), accepted(own())] {
                check(&connector, Some(&binding(&overrides)), true);
            }
            for connector in [graph(None), accepted(graph(own().owner))] {
                check_query(&connector, Some(&binding(&overrides)), true);
            }
        }
        for overrides in kept {
            for connector in [stored(None), accepted(own())] {
                check(&connector, Some(&binding(&overrides)), false);
            }
            for connector in [graph(None), accepted(graph(own().owner))] {
                check_query(&connector, Some(&binding(&overrides)), false);
            }
        }
    }

    /// Whether a call of the query has an effect; the mutation always has.
    fn check_query(stored: &StoredConnector, binding: Option<&Binding>, irreversible: bool) {
        let definition = stored.trusted(binding);
        let contract = |name| endpoint_contract(&definition, name).unwrap().irreversible;
        assert_eq!((contract("find"), contract("drop")), (irreversible, true));
    }

    #[test]
    fn k_25_a_query_of_graphql_counts_where_somebody_else_says_so() {
        check_query(&graph(None), None, false);
        check_query(&graph(own().owner), None, true);
        let known = accepted(graph(own().owner));
        check_query(&known, None, false);
        let mut newer = known.clone();
        newer.definition = parse(&GRAPH.replace("a.example", "b.example")).definition.unwrap();
        check_query(&newer, None, true);
        let claims: Vec<_> = claims(&known.definition).collect();
        assert_eq!(claims, [("find", Claim::Query)], "a mutation claims nothing");
    }

    /// `_cursor` is no argument of a call that is sent once, and its answer names none.
    #[test]
    fn k_25_what_does_not_count_has_no_pages() {
        let paged = YAML.replace("safe: true }", "safe: true, pagination: { type: page } }");
        let definition = parse(&paged).definition.unwrap();
        let cursors = |stored: &StoredConnector| {
            let contract = endpoint_contract(&stored.trusted(None), "find").unwrap();
            let slots = contract.inputs.iter().chain(&contract.outputs);
            slots.filter(|slot| slot.name.ends_with("_cursor")).count()
        };
        let shipped = StoredConnector { definition, ..stored(None) };
        assert_eq!(cursors(&shipped), 2);
        assert_eq!(cursors(&StoredConnector { owner: own().owner, ..shipped }), 0);
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
