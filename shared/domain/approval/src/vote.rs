//! One person's decision.

use countersign_identity::{Presented, UserId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::ReceiptId;
use crate::outcome::OutcomeAnswer;
use crate::policy::{Assurance, Door};
use countersign_effect::Digest;

/// The longest note, in characters.
pub const MAX_NOTE: usize = 2000;

/// What somebody decided.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// Yes, this may happen.
    Approve,
    /// No.
    Deny,
    /// Not so: the note says what is to be done in addition to what was asked, and what comes of it is asked anew.
    Enhance,
    /// Not so: the note says what is to be done instead of what was asked, and what comes of it is asked anew.
    Override,
}

impl Verdict {
    /// The word used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Before “the request”: `approve`, `ask for changes to`.
    #[must_use]
    pub fn does(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Deny => "deny",
            Self::Enhance => "ask for changes to",
            Self::Override => "ask for something else instead of",
        }
    }

    /// On a button: `Approve`, `Ask for changes`.
    #[must_use]
    pub fn button(self) -> &'static str {
        match self {
            Self::Approve => "Approve",
            Self::Deny => "Deny",
            Self::Enhance | Self::Override => "Ask for changes",
        }
    }

    /// After a name: `approved`, `asked for changes`.
    #[must_use]
    pub fn did(self) -> &'static str {
        match self {
            Self::Approve => "approved",
            Self::Deny => "denied",
            Self::Enhance => "asked for changes",
            Self::Override => "asked for something else instead",
        }
    }

    /// Whether it asks for changes instead of deciding.
    #[must_use]
    pub fn revises(self) -> bool {
        matches!(self, Self::Enhance | Self::Override)
    }
}

/// A recorded decision of one person over one version. Never changed; a later version of the request voids it, and so does
/// the loss of the rights that it was cast with ([`crate::NotCounted`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// The directory's id: one human, whichever address or login was used.
    pub person: UserId,
    /// What they decided.
    pub verdict: Verdict,
    /// The version they saw.
    pub version: u32,
    /// The digest they saw.
    pub digest: Digest,
    /// When.
    pub at: Timestamp,
    /// Through which door.
    pub door: Door,
    /// How surely it was them.
    pub assurance: Assurance,
    /// The receipt that seals this vote.
    pub receipt: ReceiptId,
    /// What they say became of each call, when the request asks that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OutcomeAnswer>,
    /// What they wrote (K-22); erasable, the receipt holds only a salted digest of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The token it was cast with: once that is void, an approval does not count. None of a vote over a mailed link, and of
    /// those that an earlier release kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Presented>,
    /// How many votes of this person on this version came before; none of them counted any more.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(again: &u32) -> bool {
    *again == 0
}
