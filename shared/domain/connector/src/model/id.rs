//! Names of connectors.

use std::fmt;

use countersign_document::words::is_kebab;
use serde::{Deserialize, Serialize};

/// Why a text is not the name of a connector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not kebab-case: lower-case letters and digits in words joined by single hyphens, at most 64 characters"
)]
pub struct InvalidConnectorId(pub String);

/// Names that stand beside those of connectors in addresses: a connector of this name could not be reached.
pub const RESERVED_IDS: [&str; 2] = ["templates", "from-template"];

/// The name of a connector, kebab-case (F-088), such as `irs-990-xml`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConnectorId(String);

impl ConnectorId {
    /// Reads a name.
    ///
    /// # Errors
    /// [`InvalidConnectorId`] when it is not kebab-case or longer than 64 characters.
    pub fn parse(text: &str) -> Result<Self, InvalidConnectorId> {
        let starts_well = text.starts_with(|c: char| c.is_ascii_lowercase());
        if starts_well && text.len() <= 64 && is_kebab(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidConnectorId(text.chars().take(80).collect()))
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ConnectorId {
    type Error = InvalidConnectorId;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl fmt::Display for ConnectorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ConnectorId> for String {
    fn from(id: ConnectorId) -> Self {
        id.0
    }
}
