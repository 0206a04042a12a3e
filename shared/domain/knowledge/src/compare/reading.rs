//! A name, read according to its kind.

use crate::fold::fold;
use crate::model::EntityType;
use crate::organisation::OrganisationName;
use crate::person::PersonName;

/// A name read according to its kind, ready to be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reading {
    /// A person's name.
    Person(PersonName),
    /// An organisation's name.
    Organisation(OrganisationName),
    /// Any other name, folded.
    Plain(String),
}

impl Reading {
    /// Reads `name` as the kind says.
    #[must_use]
    pub fn of(name: &str, kind: &EntityType) -> Self {
        match kind {
            EntityType::Person => Self::Person(PersonName::parse(name)),
            EntityType::Org => Self::Organisation(OrganisationName::parse(name)),
            _ => Self::Plain(fold(name)),
        }
    }

    /// What spellings of exactly the same name share.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Person(name) => name.key(),
            Self::Organisation(name) => {
                format!("{}|{}", name.key(), name.legal_form.as_deref().unwrap_or_default())
            }
            Self::Plain(text) => text.clone(),
        }
    }

    /// About how many characters are compared.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Person(name) => {
                let middles: usize = name.middles.iter().map(String::len).sum();
                name.surname.len() + name.given.len() + middles
            }
            Self::Organisation(name) => name.words.iter().map(String::len).sum(),
            Self::Plain(text) => text.len(),
        }
    }

    /// Whether nothing is left that could be compared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Person(name) => name.is_empty(),
            Self::Organisation(name) => name.words.is_empty(),
            Self::Plain(text) => text.is_empty(),
        }
    }
}
