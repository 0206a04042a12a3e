//! One change of a file of the run's owner (K-25, K-47).
//!
//! It says what the file was when it was described and what it is to be, by the hashes of both texts: a file that has
//! changed in between gives another effect.

use serde::{Deserialize, Serialize};

use crate::http::Version;

/// The most characters of a text that an effect has with it; of a longer one it says how many are left out.
pub const MAX_EXCERPT: usize = 32_000;

/// A change of a file, complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEffect {
    /// 1.
    pub v: Version,
    /// What is done.
    pub action: FileAction,
    /// The file, `doc_…`.
    pub document: String,
    /// Its title.
    pub title: String,
    /// Where it is: folder and name.
    pub path: String,
    /// Where it goes: folder and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The text as it is; none when the file is made.
    pub before: Option<TextHash>,
    /// The edits, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<FileEdit>,
    /// The text as it will be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<TextHash>,
    /// The text itself: of a file that is removed as it is, of one that is changed as it will be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Excerpt>,
    /// For how many days a file that is removed can be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restorable_days: Option<u32>,
    /// The idempotency key.
    pub key: String,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAction {
    /// It is made.
    Create,
    /// Its text is changed.
    Patch,
    /// It is put into another folder.
    Move,
    /// It is removed.
    Delete,
}

/// A text, by its size and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextHash {
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256, hex.
    pub sha256: String,
}

/// One edit of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEdit {
    /// `append`, `prepend`, `replace` or `insert`.
    pub operation: String,
    /// The part of the text that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What is put there.
    pub content: String,
}

/// The beginning of a text, or all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excerpt {
    /// The characters.
    pub text: String,
    /// How many characters are behind them.
    pub left_out: u64,
}

impl Excerpt {
    /// The beginning of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let end = text.char_indices().nth(MAX_EXCERPT).map_or(text.len(), |(end, _)| end);
        let left_out = text[end..].chars().count() as u64;
        Self { text: text[..end].to_owned(), left_out }
    }
}

impl FileAction {
    /// The word for it, as a method of a request has one.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Patch => "PATCH",
            Self::Move => "MOVE",
            Self::Delete => "DELETE",
        }
    }

    /// The name of the action that does it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create | Self::Patch => "patch_file",
            Self::Move => "move_file",
            Self::Delete => "delete_file",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effect;
    use crate::view::samples::removal;

    #[test]
    fn k_25_a_change_of_a_file_has_one_text_and_what_is_not_known_is_rejected() {
        let effect = removal();
        let text = effect.text().unwrap();
        assert_eq!(Effect::parse(&text).unwrap(), effect);
        assert_eq!(effect.target(), "DELETE documents/research/notes.md");
        for (from, to) in [
            ("\"v\":1", "\"v\":2"),
            ("\"title\"", "\"extra\":1,\"title\""),
            ("\"action\":\"delete\"", "\"action\":\"burn\""),
            ("\"family\":\"file\"", "\"family\":\"http\""),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(Effect::parse(&changed).is_err(), "{changed}");
        }
    }

    #[test]
    fn k_25_of_a_long_text_the_rest_is_counted() {
        let text = "ö".repeat(MAX_EXCERPT + 7);
        let excerpt = Excerpt::of(&text);
        assert_eq!((excerpt.text.chars().count(), excerpt.left_out), (MAX_EXCERPT, 7));
        assert_eq!(Excerpt::of("short"), Excerpt { text: "short".to_owned(), left_out: 0 });
    }
}
