//! Where a request stands, and the words each API has for it (K-15).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::Unknown;

/// Where a request stands. All but `pending` are final.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case", parse_err_ty = Unknown, parse_err_fn = unknown)]
#[schemars(rename = "ApprovalStatus")]
pub enum Status {
    /// Waiting for people.
    Pending,
    /// Signed by enough of them.
    Approved,
    /// Refused.
    Denied,
    /// The deadline passed (K-12: this is a refusal).
    TimedOut,
    /// Its run is gone.
    Expired,
    /// Another request took its place.
    Superseded,
    /// Its run was stopped.
    Cancelled,
}

impl Status {
    /// Whether nothing can change any more.
    #[must_use]
    pub fn is_final(self) -> bool {
        self != Self::Pending
    }

    /// The word used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The word an API of one of the designs uses.
    #[must_use]
    pub fn word(self, vocabulary: Vocabulary) -> &'static str {
        match (vocabulary, self) {
            (Vocabulary::Internal, status) => status.as_str(),
            (_, Self::Pending) => "pending",
            (_, Self::Approved) => "approved",
            (Vocabulary::Dialog, Self::Denied) => "denied",
            (Vocabulary::Dialog, Self::TimedOut) => "timed_out",
            (_, Self::Denied) => "rejected",
            (_, Self::TimedOut | Self::Expired | Self::Superseded | Self::Cancelled) => "expired",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn unknown(word: &str) -> Unknown {
    Unknown::new(word, "pending, approved, denied, timed_out, expired, superseded, cancelled")
}

/// Whose words to use (K-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// Ours: all seven statuses.
    Internal,
    /// The editorial requests: `pending | approved | rejected | expired`.
    Editorial,
    /// The dialogue: `pending | approved | denied | timed_out | expired`.
    Dialog,
    /// The approval queue (F-195): `pending | approved | rejected | expired`.
    Queue,
}

/// What the state machine is told: the outcome and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The final status.
    pub decision: Status,
}
