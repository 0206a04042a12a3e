//! All contracts, by name.

use countersign_document::nearest;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use countersign_failure::Failure;
use serde_json::{Map, Value};

use crate::actions;
use crate::contract::Contract;
use crate::explain::{Path, Problem};
use crate::typed::{Rules, stand_in};

/// The contracts a deployment knows (F-037). There is one contract per name.
#[derive(Debug, Clone)]
pub struct Registry {
    contracts: BTreeMap<String, Contract>,
    rules: BTreeMap<String, Rules>,
}

/// The actions Countersign ships, derived from their types once.
static BUILTIN: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry { contracts: BTreeMap::new(), rules: BTreeMap::new() };
    for declared in actions::all() {
        let contract = (declared.contract)();
        registry.rules.insert(contract.name.clone(), declared.rules);
        registry.contracts.insert(contract.name.clone(), contract);
    }
    registry
});

/// The actions Countersign ships, without a copy.
pub(crate) fn builtin() -> &'static Registry {
    &BUILTIN
}

/// Why contracts do not make a registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum RegistryError {
    /// Two contracts share a name.
    #[error("the action `{0}` is declared twice")]
    #[failure(code = "ACTION_DECLARED_TWICE")]
    Duplicate(String),
}

impl Registry {
    /// The actions Countersign ships. Each has a handler in a crate `actions-*` (F-041).
    #[must_use]
    pub fn builtin() -> Self {
        BUILTIN.clone()
    }

    /// A registry of the given contracts.
    ///
    /// # Errors
    /// [`RegistryError::Duplicate`] when a name occurs twice.
    pub fn of(contracts: impl IntoIterator<Item = Contract>) -> Result<Self, RegistryError> {
        let mut registry = Self { contracts: BTreeMap::new(), rules: BTreeMap::new() };
        for contract in contracts {
            registry.add(contract)?;
        }
        Ok(registry)
    }

    /// Adds a contract, such as a plugin's.
    ///
    /// # Errors
    /// [`RegistryError::Duplicate`] when the name is taken: what is known is never replaced.
    pub fn add(&mut self, contract: Contract) -> Result<(), RegistryError> {
        if self.contracts.contains_key(&contract.name) {
            return Err(RegistryError::Duplicate(contract.name));
        }
        self.contracts.insert(contract.name.clone(), contract);
        Ok(())
    }

    /// The contract of an action.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Contract> {
        self.contracts.get(name)
    }

    /// Every contract, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Contract> {
        self.contracts.values()
    }

    /// What the rules of an action say about params that fit their schemas. `open` are the parts that are known only
    /// during a run; nothing is said about them.
    #[must_use]
    pub fn rules(
        &self,
        action: &str,
        mut params: Map<String, Value>,
        open: &[(Path, &Value)],
    ) -> Vec<Problem> {
        let Some(rules) = self.rules.get(action) else { return Vec::new() };
        params.retain(|_, value| !value.is_null());
        for (name, value) in &mut params {
            stand_in(value, open, &Path::of(name));
        }
        let mut problems = rules(params);
        problems.retain(|problem| !open.iter().any(|(path, _)| path.touches(&problem.path)));
        problems
    }

    /// The action somebody probably meant.
    #[must_use]
    pub fn suggest(&self, name: &str) -> Option<&str> {
        nearest(name, self.contracts.keys().map(String::as_str))
    }

    /// The table from action to the folder of the Lambda that hosts it. Control actions are not in it.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter(|c| !c.is_control()).map(|c| (c.name.as_str(), c.function.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expect: Option<&str>) {
        assert_eq!(Registry::builtin().suggest(word), expect, "{word}");
    }

    #[test]
    fn suggests_what_was_probably_meant() {
        check("extract_entites", Some("extract_entities"));
        check("entities_resolve", Some("resolve_entities"));
        check("Transform-Data", Some("transform_data"));
        check("journal", Some("query_journal"));
        check("cross_ref", Some("cross_reference"));
        check("launch_rocket", None);
        check("", None);
        check(&"x".repeat(10_000), None);
    }

    #[test]
    fn f_037_names_are_unique_and_never_replaced() {
        let mut registry = Registry::builtin();
        let again = Contract::reading("cross_reference", "tool-data", "another");
        assert_eq!(
            registry.add(again.clone()),
            Err(RegistryError::Duplicate("cross_reference".to_owned()))
        );
        assert_eq!(
            Registry::of([again.clone(), again]).map(|_| ()),
            Err(RegistryError::Duplicate("cross_reference".to_owned()))
        );
        assert_ne!(
            registry.get("cross_reference").map(|c| c.description.as_str()),
            Some("another")
        );
    }
}
