//! The deployment's own id.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The deployment: one constant id per stack, bound into digests, links and the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Tenant(String);

/// A text that cannot name a deployment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tenant: use 1 to 64 letters, digits, `-`, `_` and `.`")]
pub struct InvalidTenant(String);

impl Tenant {
    /// Reads the id of a deployment.
    ///
    /// # Errors
    /// [`InvalidTenant`] when the text is empty, too long, or has another character.
    pub fn parse(text: &str) -> Result<Self, InvalidTenant> {
        let fits = (1..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidTenant(text.chars().take(80).collect()))
        }
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Tenant {
    type Error = InvalidTenant;

    fn try_from(text: String) -> Result<Self, InvalidTenant> {
        Self::parse(&text)
    }
}

impl From<Tenant> for String {
    fn from(tenant: Tenant) -> String {
        tenant.0
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
