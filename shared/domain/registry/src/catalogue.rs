//! All contracts, by name.

use countersign_document::nearest;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use countersign_failure::Failure;
use serde_json::{Map, Value};

use crate::actions;
use crate::contract::Contract;
use crate::explain::{Path, Problem};
use crate::infer::{Inferred, InputTypes};
use crate::typed::{Declared, Infer, Rules, stand_in};

/// The contracts a deployment knows (F-037). There is one contract per name. Clones share what was derived.
#[derive(Debug, Clone)]
pub struct Registry {
    entries: Arc<BTreeMap<Cow<'static, str>, Arc<Entry>>>,
}

/// One action. Its contract is derived when something first asks for it: a function needs few of them, and deriving
/// all costs memory at its start.
#[derive(Debug)]
struct Entry {
    function: Cow<'static, str>,
    contract: LazyLock<Contract, Box<dyn FnOnce() -> Contract + Send>>,
    rules: Option<Rules>,
    infer: Option<Infer>,
}

impl Entry {
    fn declared(declared: Declared) -> Self {
        Self {
            function: Cow::Borrowed(declared.function),
            contract: LazyLock::new(Box::new(declared.contract)),
            rules: Some(declared.rules),
            infer: Some(declared.infer),
        }
    }

    fn given(contract: Contract) -> Self {
        Self {
            function: Cow::Owned(contract.function.clone()),
            contract: LazyLock::new(Box::new(move || contract)),
            rules: None,
            infer: None,
        }
    }
}

/// The actions Countersign ships.
static BUILTIN: LazyLock<Registry> = LazyLock::new(|| {
    let mut entries = BTreeMap::new();
    // One by one: every function starts with this, and sorting them first would take 300 KB of code into its memory.
    for declared in actions::all() {
        entries.insert(Cow::Borrowed(declared.name), Arc::new(Entry::declared(declared)));
    }
    Registry { entries: Arc::new(entries) }
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
        let mut registry = Self { entries: Arc::default() };
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
        if self.entries.contains_key(contract.name.as_str()) {
            return Err(RegistryError::Duplicate(contract.name));
        }
        let name = Cow::Owned(contract.name.clone());
        Arc::make_mut(&mut self.entries).insert(name, Arc::new(Entry::given(contract)));
        Ok(())
    }

    /// The contract of an action.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Contract> {
        self.entries.get(name).map(|entry| &*entry.contract)
    }

    /// Every contract, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Contract> {
        self.entries.values().map(|entry| &*entry.contract)
    }

    /// What the rules of an action say about params that fit their schemas. `open` are the parts that are known only
    /// during a run; nothing is said about them.
    #[must_use]
    pub fn rules(
        &self,
        action: &str,
        params: Map<String, Value>,
        open: &[(Path, &Value)],
    ) -> Vec<Problem> {
        let Some(rules) = self.entries.get(action).and_then(|entry| entry.rules) else {
            return Vec::new();
        };
        let mut problems = rules(filled_in(params, open));
        problems.retain(|problem| !open.iter().any(|(path, _)| path.touches(&problem.path)));
        problems
    }

    /// What the types of the inputs say about params that fit their schemas, and about the outputs. `open` are the parts
    /// that are known only during a run; nothing is said about them, nor about what depends on them.
    #[must_use]
    pub fn infer(
        &self,
        action: &str,
        params: Map<String, Value>,
        open: &[(Path, &Value)],
        inputs: &InputTypes,
    ) -> Inferred {
        let Some(infer) = self.entries.get(action).and_then(|entry| entry.infer) else {
            return Inferred::default();
        };
        let params = filled_in(params, open);
        let written: Vec<Path> = params.keys().map(|name| Path::of(name)).collect();
        let mut inferred = infer(params, inputs);
        inferred.problems.retain(|problem| {
            let touches = |path: &Path| path.touches(&problem.path);
            written.iter().any(touches) && !open.iter().any(|(path, _)| touches(path))
        });
        if open.iter().any(|(path, _)| path.names_fields()) {
            inferred.outputs.clear();
        }
        inferred
    }

    /// The action somebody probably meant.
    #[must_use]
    pub fn suggest(&self, name: &str) -> Option<&str> {
        nearest(name, self.entries.keys().map(Cow::as_ref))
    }

    /// The table from action to the folder of the Lambda that hosts it, without deriving a contract. Control actions
    /// are not in it.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &str)> {
        let hosted = self.entries.iter().filter(|(_, entry)| !entry.function.is_empty());
        hosted.map(|(name, entry)| (name.as_ref(), entry.function.as_ref()))
    }
}

/// Params without those that are left out; something of its type stands in for each part that is known only during a run.
fn filled_in(mut params: Map<String, Value>, open: &[(Path, &Value)]) -> Map<String, Value> {
    params.retain(|_, value| !value.is_null());
    for (name, value) in &mut params {
        stand_in(value, open, &Path::of(name));
    }
    params
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
    fn what_is_known_without_a_contract_is_what_the_contract_says() {
        let registry = Registry::builtin();
        for (name, function) in registry.functions() {
            let contract = registry.get(name).unwrap();
            assert_eq!((contract.name.as_str(), contract.function.as_str()), (name, function));
        }
        let control = registry.iter().filter(|contract| contract.is_control()).count();
        assert_eq!(registry.functions().count() + control, registry.iter().count());
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
