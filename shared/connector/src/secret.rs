//! Secrets that cannot be printed by accident.

use std::collections::BTreeMap;
use std::fmt;

/// A decrypted secret. It has no `Serialize`, and its debug form shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// The parts of a credential by name: `api_key`, `token`, `username`, `password`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credential(BTreeMap<String, Secret>);

impl Credential {
    /// One part.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<&Secret> {
        self.0.get(name)
    }

    /// The names of its parts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether it has no part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces every secret in a text, for messages that come from the other side. Parts shorter than four
    /// characters are left: replacing them would garble the text and hide nothing.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        self.0
            .values()
            .filter(|secret| secret.0.len() >= 4)
            .fold(text.to_owned(), |text, secret| text.replace(&secret.0, "[redacted]"))
    }
}

impl FromIterator<(String, String)> for Credential {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(parts: I) -> Self {
        Self(parts.into_iter().map(|(name, text)| (name, Secret(text))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Credential;

    #[test]
    fn k_42_a_credential_prints_nothing() {
        let credential: Credential =
            [("token".to_owned(), "s3cr3t-value".to_owned())].into_iter().collect();
        assert_eq!(format!("{credential:?}"), r#"Credential({"token": Secret(redacted)})"#);
        assert_eq!(credential.part("token").unwrap().to_string(), "[redacted]");
        assert_eq!(credential.scrub("bad key s3cr3t-value!"), "bad key [redacted]!");
    }
}
