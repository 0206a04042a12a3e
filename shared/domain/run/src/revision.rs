//! Steps that are carried out again, because somebody asked for changes at a gate (R-060, K-09).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Event, EventKind, Head};

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

impl Head {
    /// Whether a step is carried out again.
    #[must_use]
    pub fn is_done_again(&self, step: &str) -> bool {
        self.revised.since.contains_key(step)
    }

    /// Which request a gate opens next, from 0: one more after each that was closed because changes were asked for.
    #[must_use]
    pub fn round_of(&self, gate: &str) -> u32 {
        self.revised.rounds.get(gate).copied().unwrap_or_default()
    }

    /// Whether an event still says something of its step: not when the step is carried out again since, nor when it is about an
    /// earlier request of a gate that asks anew.
    pub(crate) fn counts(&self, event: &Event) -> bool {
        match &event.kind {
            // Two events for each request: it was opened, and it ended.
            EventKind::GateOpened { .. } | EventKind::GateClosed { .. } => {
                event.n / 2 >= self.round_of(&event.step)
            }
            _ => self.revised.since.get(&event.step).is_none_or(|since| event.attempt >= *since),
        }
    }
}
