//! What the records in a list may have, where that can be said before a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The keys of the records in a list, and the words some of them take. The action that reads them says the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    /// Every key a record may have.
    pub keys: Vec<String>,
    /// The keys a record must have.
    pub required: Vec<String>,
    /// The only texts a key takes.
    pub words: BTreeMap<String, Vec<String>>,
}

impl Items {
    /// Records with these keys and no others.
    #[must_use]
    pub fn with(keys: &[&str]) -> Self {
        Self { keys: owned(keys), ..Self::default() }
    }

    /// No record goes without this key.
    #[must_use]
    pub fn needing(mut self, key: &str) -> Self {
        self.required.push(key.to_owned());
        self
    }

    /// A key takes only these texts.
    #[must_use]
    pub fn choosing(mut self, key: &str, words: &[&str]) -> Self {
        self.words.insert(key.to_owned(), owned(words));
        self
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
