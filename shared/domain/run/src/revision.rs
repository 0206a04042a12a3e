//! Steps that are carried out again, because somebody asked for changes at a gate (R-060, K-09).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What of a run is carried out again. It grows with the steps of the plan, not with how often changes are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Revised {
    /// By step, the execution that carries it out again: what it did in earlier ones does not count any more.
    pub since: BTreeMap<String, u32>,
    /// By gate, which of its requests is the next, from 0: those before were closed because changes were asked for.
    pub rounds: BTreeMap<String, u32>,
}

impl Revised {
    /// Whether nobody has asked for changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.since.is_empty() && self.rounds.is_empty()
    }
}
