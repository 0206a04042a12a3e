//! How many calls were made in each window.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::window::Window;

/// The calls of one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// When the window began, in epoch seconds.
    pub start: i64,
    /// Calls since then.
    pub used: u32,
}

/// The calls of every window that was ever counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counters(BTreeMap<Window, Counter>);

impl Counters {
    /// The counter of a window.
    #[must_use]
    pub fn get(&self, window: Window) -> Option<Counter> {
        self.0.get(&window).copied()
    }

    /// Sets the counter of a window.
    pub fn set(&mut self, window: Window, counter: Counter) {
        self.0.insert(window, counter);
    }

    /// The counter for the window that begins at `start`. A counter of a later window stays: another instance's clock is
    /// ahead, and what it counted must not be forgotten.
    #[must_use]
    pub(crate) fn current(&self, window: Window, start: i64) -> Counter {
        self.get(window)
            .filter(|counter| counter.start >= start)
            .unwrap_or(Counter { start, used: 0 })
    }
}
