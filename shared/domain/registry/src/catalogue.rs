//! All contracts, by name.

use std::collections::BTreeMap;

use countersign_failure::Failure;

use crate::actions;
use crate::contract::Contract;

/// The contracts a deployment knows (F-037). There is one contract per name.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    contracts: BTreeMap<String, Contract>,
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
        Self {
            contracts: actions::all()
                .into_iter()
                .map(|contract| (contract.name.clone(), contract))
                .collect(),
        }
    }

    /// A registry of the given contracts.
    ///
    /// # Errors
    /// [`RegistryError::Duplicate`] when a name occurs twice.
    pub fn of(contracts: impl IntoIterator<Item = Contract>) -> Result<Self, RegistryError> {
        let mut registry = Self { contracts: BTreeMap::new() };
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

/// The longest word for which suggestions are made; longer ones cost quadratic time and are no typing error.
const LONGEST_WORD: usize = 80;

/// The candidate that is likely meant by a mistyped `word`: similar letters, or the same words in another order.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > LONGEST_WORD {
        return None;
    }
    let asked = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST_WORD)
        .map(|candidate| (likeness(&asked, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn likeness(a: &str, b: &str) -> f64 {
    let plain = strsim::normalized_damerau_levenshtein(a, b);
    let sorted = strsim::normalized_damerau_levenshtein(&words(a), &words(b));
    let part = if a.len() >= 4 && (b.starts_with(a) || b.ends_with(a)) { 0.7 } else { 0.0 };
    plain.max(sorted).max(part)
}

fn words(text: &str) -> String {
    let mut words: Vec<&str> =
        text.split(['_', '-', ' ']).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.join(" ")
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
            Registry::of([again.clone(), again]),
            Err(RegistryError::Duplicate("cross_reference".to_owned()))
        );
        assert_ne!(
            registry.get("cross_reference").map(|c| c.description.as_str()),
            Some("another")
        );
    }
}
