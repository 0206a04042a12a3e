//! What is being signed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A word that is none of the expected ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is none of {expected}")]
pub struct Unknown {
    /// The word, cut to 80 characters.
    pub word: String,
    /// The words that would do.
    pub expected: &'static str,
}

impl Unknown {
    pub(crate) fn new(word: &str, expected: &'static str) -> Self {
        Self { word: word.chars().take(80).collect(), expected }
    }
}

/// What a request is about (A-092, R-052, F-194, C-019, C-020, H-011).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[schemars(rename = "ApprovalKind")]
pub enum Kind {
    /// A gate of a playbook: the plan, and every known irreversible step behind it.
    Step,
    /// One step with an irreversible effect, asking for itself.
    Tool,
    /// What became of calls whose answer was lost.
    Outcome,
    /// A plan, before any agent runs.
    Plan,
    /// A result, before the task is complete.
    Result,
    /// An article, before it is public.
    Publish,
    /// Two entities, before they become one.
    Merge,
    /// An agent's question.
    Clarification,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 8] = [
        Self::Step,
        Self::Tool,
        Self::Outcome,
        Self::Plan,
        Self::Result,
        Self::Publish,
        Self::Merge,
        Self::Clarification,
    ];

    /// The word used on the wire and in digests.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
