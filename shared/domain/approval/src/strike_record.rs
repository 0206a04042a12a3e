//! What is kept of a strike.

use countersign_effect::Digest;
use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::policy::{Assurance, Door};

/// What somebody struck out or restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrikeRecord {
    /// Who.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
    /// Through which door.
    pub door: Door,
    /// How surely it was that person.
    pub assurance: Assurance,
    /// The version it made.
    pub version: u32,
    /// The digest of the version they saw.
    pub seen: Digest,
    /// The step.
    pub step: String,
    /// The effects that were struck by it, numbered from 0.
    pub struck: Vec<u32>,
    /// The effects that were restored by it.
    pub restored: Vec<u32>,
}
