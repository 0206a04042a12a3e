//! What people sort connectors by (F-106).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a source is about.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(extend("x-code" = "category"))]
pub enum Category {
    /// Authorities and their registers.
    Government,
    /// Money: markets, donations, contracts.
    Finance,
    /// Companies.
    Corporate,
    /// Foundations and associations.
    Nonprofit,
    /// Anything else.
    #[default]
    General,
}

impl Category {
    /// As in the YAML.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub(crate) fn is_general(&self) -> bool {
        *self == Self::General
    }
}

/// Why a text is not a tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tag: lower-case letters, digits and hyphens, at most 32 characters")]
pub struct InvalidTag(pub String);

/// One word to find a connector by, such as `lobbying`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

impl Tag {
    /// Reads a tag.
    ///
    /// # Errors
    /// [`InvalidTag`] when it is empty, longer than 32 characters or holds others than `a-z`, `0-9` and `-`.
    pub fn parse(text: &str) -> Result<Self, InvalidTag> {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if (1..=32).contains(&text.len()) && text.bytes().all(fits) && !text.starts_with('-') {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidTag(text.chars().take(40).collect()))
        }
    }

    /// The tag as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Tag {
    type Error = InvalidTag;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
