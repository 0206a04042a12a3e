//! What a model has written so far of an answer that is not complete.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::RunState;

/// The texts of an answer, as far as they are written. Nobody has checked them: the answer may be refused, and rewritten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The step.
    pub step: String,
    /// Which turn of the step's model; a later one begins anew.
    pub turn: u32,
    /// When it was last written to.
    pub at: Timestamp,
    /// Fields of the answer and their texts.
    pub texts: BTreeMap<String, String>,
}

impl Draft {
    /// Whether its step goes on. What an invocation has written that died is left behind: it counts for no longer than an invocation
    /// can last.
    #[must_use]
    pub fn goes_on(&self, state: &RunState, now: Timestamp, longest: Duration) -> bool {
        let oldest = now.saturating_sub(longest).unwrap_or(Timestamp::MIN);
        let mut steps = state.steps.iter();
        self.at > oldest && steps.any(|(name, step)| *name == self.step && !step.status.is_final())
    }
}
