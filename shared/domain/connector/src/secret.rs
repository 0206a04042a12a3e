//! Secrets that cannot be printed by accident.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use url::form_urlencoded;

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

    /// The credential with one more part, in place of one of the same name.
    #[must_use]
    pub fn with(mut self, name: &str, secret: Secret) -> Self {
        self.0.insert(name.to_owned(), secret);
        self
    }

    /// Replaces every secret in a text, for messages that come from the other side: as it is, and as it stands in an
    /// address or in a `Basic` header. Parts shorter than four characters are left: replacing them would garble the text
    /// and hide nothing.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        let hidden = self.forms(|_| true);
        hidden
            .iter()
            .filter(|secret| secret.len() >= 4)
            .fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[redacted]"))
    }

    /// The same for data that is kept: `None` when it holds no secret. Names that log in, and secrets shorter than eight
    /// characters, are left, for data may hold the same words with another meaning.
    #[must_use]
    pub fn scrub_data(&self, text: &str) -> Option<String> {
        let hidden = self.forms(|name| !matches!(name, "username" | "client_id"));
        let mut found = hidden
            .iter()
            .filter(|secret| secret.len() >= 8 && text.contains(secret.as_str()))
            .peekable();
        found.peek()?;
        Some(
            found.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[redacted]")),
        )
    }

    /// The parts of these names as they are and as they are sent, the longest first: one may stand in another.
    fn forms(&self, takes: impl Fn(&str) -> bool) -> Vec<String> {
        let mut hidden: Vec<String> = Vec::new();
        for (_, secret) in self.0.iter().filter(|(name, _)| takes(name)) {
            let secret = secret.expose();
            hidden.push(secret.to_owned());
            hidden.push(form_urlencoded::byte_serialize(secret.as_bytes()).collect());
            hidden.push(utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string());
            // As some servers write it in JSON.
            hidden.push(secret.replace('/', "\\/"));
        }
        for (user, password) in [("username", "password"), ("client_id", "client_secret")] {
            if let (Some(user), Some(password)) = (self.part(user), self.part(password)) {
                hidden.push(STANDARD.encode(format!(
                    "{user}:{password}",
                    user = user.0,
                    password = password.0
                )));
            }
        }
        hidden.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        hidden.dedup();
        hidden
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

    #[test]
    fn k_37_data_loses_secrets_and_no_other_words() {
        let parts = [("username", "john"), ("password", "s3cr3t-value"), ("token", "short")];
        let parts = parts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let credential: Credential = parts.into_iter().collect();
        assert_eq!(credential.scrub_data("john is short"), None);
        let clean = credential.scrub_data("john said s3cr3t-value, in short").unwrap();
        assert_eq!(clean, "john said [redacted], in short");
    }

    #[test]
    fn k_42_a_secret_is_found_in_every_form_it_is_sent_in() {
        let credential: Credential = [
            ("username".to_owned(), "ann".to_owned()),
            ("password".to_owned(), "a b/c&d".to_owned()),
        ]
        .into_iter()
        .collect();
        for quoted in ["a b/c&d", "a+b%2Fc%26d", "a%20b%2Fc%26d", "YW5uOmEgYi9jJmQ="] {
            assert_eq!(credential.scrub(&format!("no: {quoted}.")), "no: [redacted].", "{quoted}");
        }
        let with = credential.with("password", super::Secret::new("other".to_owned()));
        assert_eq!(with.scrub("a b/c&d other"), "a b/c&d [redacted]");
    }
}
