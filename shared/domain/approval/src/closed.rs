//! How a request ended.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::actor::{Actor, ReceiptId};
use crate::outcome::OutcomeAnswer;
use crate::policy::Door;
use crate::revision::Revision;
use crate::status::Status;

/// How a request ended: the story told to everybody who comes later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// The final status.
    pub status: Status,
    /// When.
    pub at: Timestamp,
    /// Who or what ended it.
    pub by: Actor,
    /// Through which door, when it was a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// The receipt of it.
    pub receipt: ReceiptId,
    /// What enough people said became of each call, with the evidence of whoever said it last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OutcomeAnswer>,
    /// The changes that were asked for, when that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Box<Revision>>,
}
