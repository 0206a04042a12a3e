//! The name an agent is called by: `@nonprofit-investigator`.

use std::fmt;

use countersign_document::Refused;
use countersign_document::words::is_kebab;
use serde::{Deserialize, Serialize};

/// No handle is longer.
const MAX_CHARS: usize = 100;

/// Kebab-case, at most 100 characters (F-169). Unique per owner; the store sees to that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle(String);

/// Why a text is not a handle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a handle: use up to 100 lower-case letters and digits with single hyphens between them"
)]
pub struct InvalidHandle(String);

impl Handle {
    /// Reads a handle.
    ///
    /// # Errors
    /// [`InvalidHandle`] when it is not kebab-case or too long.
    pub fn parse(text: &str) -> Result<Self, InvalidHandle> {
        if text.len() <= MAX_CHARS && is_kebab(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidHandle(text.chars().take(80).collect()))
        }
    }

    /// The handle of a name: `Nonprofit Investigator 🔍` gives `nonprofit-investigator`; none when nothing is left.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let text: String = words.join("-").chars().take(MAX_CHARS).collect();
        Self::parse(text.trim_end_matches('-')).ok()
    }

    /// The handle of a copy: `desk-copy`, and `desk-copy-2` of the second. A long one is cut where the ending would not fit.
    #[must_use]
    pub fn of_copy(&self, number: u32) -> Self {
        let ending = if number < 2 { "-copy".to_owned() } else { format!("-copy-{number}") };
        let kept = self.0.get(..MAX_CHARS - ending.len()).unwrap_or(&self.0);
        Self(format!("{}{ending}", kept.trim_end_matches('-')))
    }

    /// The handle.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

countersign_document::text_schema! {
    Handle {
        format: "handle", code: "handle", sample: "a", pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
        check: |text| Handle::parse(text).map(drop).map_err(|error| Refused::new(error.to_string())),
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Handle {
    type Error = InvalidHandle;
    fn try_from(text: String) -> Result<Self, InvalidHandle> {
        Self::parse(&text)
    }
}

impl From<Handle> for String {
    fn from(handle: Handle) -> String {
        handle.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Handle;

    fn check(text: &str, valid: bool) {
        assert_eq!(Handle::parse(text).is_ok(), valid, "{text}");
    }

    #[test]
    fn f_169_handles_are_kebab_case() {
        check("nonprofit-investigator", true);
        check("a1-2b", true);
        check(&"a".repeat(100), true);
        check(&"a".repeat(101), false);
        check("", false);
        check("-a", false);
        check("a--b", false);
        check("A-b", false);
        check("a_b", false);
        check("é", false);
    }

    #[test]
    fn f_324_a_copy_has_a_handle_of_its_own() {
        let copy = |text: &str, number| Handle::parse(text).unwrap().of_copy(number).to_string();
        assert_eq!(copy("desk", 1), "desk-copy");
        assert_eq!(copy("desk", 2), "desk-copy-2");
        let long = format!("{}-{}", "a".repeat(94), "b".repeat(5));
        assert_eq!(copy(&long, 1), format!("{}-copy", "a".repeat(94)));
        assert_eq!(copy(&long, 20).len(), 100);
        assert!(Handle::parse(&copy(&long, 20)).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn f_169_a_made_handle_is_a_handle(name in ".{0,150}") {
            if let Some(handle) = Handle::of_name(&name) {
                prop_assert!(Handle::parse(handle.as_str()).is_ok());
            }
        }
    }
}
