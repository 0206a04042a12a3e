//! One try to decide.

use crate::outcome::OutcomeAnswer;
use crate::policy::{Assurance, Door};
use crate::vote::Verdict;

/// One try to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What they decided.
    pub verdict: Verdict,
    /// The digest they saw, as it came in. Absent or malformed is refused.
    pub digest: Option<String>,
    /// The version they saw, where the door carries it.
    pub version: Option<u32>,
    /// The door they came through.
    pub door: Door,
    /// How surely it is them.
    pub assurance: Assurance,
    /// What they say became of each call, when the request asks that.
    pub answers: Vec<OutcomeAnswer>,
    /// What they wrote.
    pub note: Option<String>,
}
