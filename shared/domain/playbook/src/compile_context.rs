//! What a playbook is compiled against.

use std::collections::BTreeMap;

pub use countersign_registry::EndpointContract;
use countersign_registry::Registry;
use serde::{Deserialize, Serialize};

/// The contracts, and what the profile has bound.
#[derive(Debug, Clone, Copy)]
pub struct CompileContext<'a> {
    /// Every action there is.
    pub contracts: &'a Registry,
    /// The connectors bound to the profile. `None` when no profile is known, as in an editor: what needs them is then
    /// checked at the start of the run, and a warning says so.
    pub bindings: Option<&'a Bindings>,
    /// The connectors the author has, bound or not: what is saved must not contradict them. `None` where a playbook is
    /// not saved but run.
    pub known: Option<&'a Bindings>,
    /// Approvers who cannot sign, each with the reason, which follows the name: `is not active`. `None` where nobody knows the
    /// people.
    pub cannot_sign: Option<&'a BTreeMap<String, String>>,
}

impl<'a> CompileContext<'a> {
    /// A world without a profile.
    #[must_use]
    pub fn of(contracts: &'a Registry) -> Self {
        Self { contracts, bindings: None, known: None, cannot_sign: None }
    }

    /// The same world with a profile's connectors.
    #[must_use]
    pub fn with(self, bindings: &'a Bindings) -> Self {
        Self { bindings: Some(bindings), ..self }
    }

    /// The same world with what is known of people who cannot sign.
    #[must_use]
    pub fn asking(self, cannot_sign: &'a BTreeMap<String, String>) -> Self {
        Self { cannot_sign: Some(cannot_sign), ..self }
    }

    /// The same world with the connectors of the author, for a playbook that is being saved.
    #[must_use]
    pub fn knowing(self, known: &'a Bindings) -> Self {
        Self { known: Some(known), ..self }
    }
}

/// The connectors bound to a profile, with their endpoints.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bindings {
    connectors: BTreeMap<String, BTreeMap<String, EndpointContract>>,
}

impl Bindings {
    /// Nothing is bound.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Binds a connector.
    pub fn bind(
        &mut self,
        connector: &str,
        endpoints: impl IntoIterator<Item = (String, EndpointContract)>,
    ) {
        self.connectors.insert(connector.to_owned(), endpoints.into_iter().collect());
    }

    /// The ids of the connectors.
    pub fn connectors(&self) -> impl Iterator<Item = &str> {
        self.connectors.keys().map(String::as_str)
    }

    /// The endpoints of a connector by name, or nothing when it is not bound.
    #[must_use]
    pub fn endpoints(&self, connector: &str) -> Option<&BTreeMap<String, EndpointContract>> {
        self.connectors.get(connector)
    }

    /// An endpoint.
    #[must_use]
    pub fn endpoint(&self, connector: &str, endpoint: &str) -> Option<&EndpointContract> {
        self.connectors.get(connector)?.get(endpoint)
    }
}
