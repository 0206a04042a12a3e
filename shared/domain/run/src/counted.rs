//! What of a run counts, when a part of it is carried out again.

use crate::{Event, EventKind, Head};

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
