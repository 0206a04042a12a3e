//! Where a request stands, and the words each API has for it (K-15).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kind::Unknown;

/// Where a request stands. All but `pending` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Every status.
    pub const ALL: [Status; 7] = [
        Self::Pending,
        Self::Approved,
        Self::Denied,
        Self::TimedOut,
        Self::Expired,
        Self::Superseded,
        Self::Cancelled,
    ];

    /// Whether nothing can change any more.
    #[must_use]
    pub fn is_final(self) -> bool {
        self != Self::Pending
    }

    /// The word used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::TimedOut => "timed_out",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
            Self::Cancelled => "cancelled",
        }
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

impl FromStr for Status {
    type Err = Unknown;

    fn from_str(word: &str) -> Result<Self, Unknown> {
        let known = Self::ALL.into_iter().find(|status| status.as_str() == word);
        known.ok_or_else(|| {
            Unknown::new(
                word,
                "pending, approved, denied, timed_out, expired, superseded, cancelled",
            )
        })
    }
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
