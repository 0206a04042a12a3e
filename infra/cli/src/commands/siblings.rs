//! What documents that are given together say of each other.

use std::collections::BTreeSet;

use countersign_connector::{endpoint_contracts, parse, parse_template};
use countersign_playbook::Bindings;

use super::kind::Kind;

/// The connectors among some documents.
#[derive(Debug, Default)]
pub(super) struct SiblingConnectors {
    /// Their endpoints, typed.
    pub(super) endpoints: Bindings,
    /// An id that two of them have.
    pub(super) twice: Option<String>,
}

impl SiblingConnectors {
    /// The connectors that have no errors; other documents are ignored. With `template` they are read as templates of a
    /// deployment.
    pub(super) fn of(texts: &[String], template: bool) -> Self {
        let connectors = texts.iter().filter(|text| Kind::of(text).kind == Kind::Connector);
        let parsed =
            connectors.map(|text| if template { parse_template(text) } else { parse(text) });
        let mut beside = Self::default();
        let mut ids = BTreeSet::new();
        for definition in parsed.filter_map(|parsed| parsed.definition) {
            beside
                .endpoints
                .bind(definition.id.as_str(), endpoint_contracts(&definition, |_| true));
            if !ids.insert(definition.id.to_string()) {
                beside.twice.get_or_insert(definition.id.to_string());
            }
        }
        beside
    }
}
