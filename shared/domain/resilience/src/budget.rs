//! How often a source may be called.

use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::counters::{Counter, Counters};
use crate::window::Window;

/// The most calls of each window; what is not set is not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Calls in a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<u32>,
    /// Calls in a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minute: Option<u32>,
    /// Calls in an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<u32>,
    /// Calls in a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<u32>,
    /// Calls in a month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month: Option<u32>,
}

/// Whether one more call may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may, and is counted in these.
    Go(Counters),
    /// Not yet.
    Wait(Duration),
    /// Not within the caller's patience.
    Exhausted(Spent),
}

/// The answer to somebody who wants to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// Call.
    Go,
    /// Ask again after this time.
    Wait(Duration),
    /// Do not call.
    Exhausted(Spent),
}

/// A window whose calls are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// The window.
    pub window: Window,
    /// How many calls it has.
    pub limit: u32,
    /// When the next one begins.
    pub resets_at: Timestamp,
}

/// What is left of one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetLeft {
    /// The window.
    pub window: Window,
    /// How many calls it has.
    pub limit: u32,
    /// How many are left.
    pub left: u32,
    /// When the next one begins.
    pub resets_at: Timestamp,
}

impl Budget {
    /// The most calls of a window.
    #[must_use]
    pub fn limit(&self, window: Window) -> Option<u32> {
        match window {
            Window::Second => self.second,
            Window::Minute => self.minute,
            Window::Hour => self.hour,
            Window::Day => self.day,
            Window::Month => self.month,
        }
    }

    /// The windows it limits, shortest first.
    pub fn limits(&self) -> impl Iterator<Item = (Window, u32)> {
        Window::ALL.into_iter().filter_map(|window| Some((window, self.limit(window)?)))
    }

    /// Whether it limits nothing.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.limits().next().is_none()
    }

    /// The lower limit of each window (F-008).
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        let lower =
            |window: Window| [self.limit(window), other.limit(window)].into_iter().flatten().min();
        Self {
            second: lower(Window::Second),
            minute: lower(Window::Minute),
            hour: lower(Window::Hour),
            day: lower(Window::Day),
            month: lower(Window::Month),
        }
    }

    /// Whether one more call may be made at `now`, and how it is counted. A window that ends within `patience` is waited
    /// for. Only limited windows are counted.
    #[must_use]
    pub fn decide(&self, counters: &Counters, now: Timestamp, patience: Duration) -> Decision {
        let mut next = counters.clone();
        let mut longest: Option<Spent> = None;
        for (window, limit) in self.limits() {
            let counter = counters.current(window, window.start(now));
            if counter.used < limit {
                next.set(window, Counter { used: counter.used + 1, ..counter });
                continue;
            }
            let spent = Spent { window, limit, resets_at: window.end(counter.start) };
            if longest.is_none_or(|known| known.resets_at < spent.resets_at) {
                longest = Some(spent);
            }
        }
        let Some(spent) = longest else { return Decision::Go(next) };
        let wait = Duration::try_from(spent.resets_at.duration_since(now)).unwrap_or_default();
        if wait < patience { Decision::Wait(wait) } else { Decision::Exhausted(spent) }
    }

    /// What is left of each limited window at `now`.
    #[must_use]
    pub fn left(&self, counters: &Counters, now: Timestamp) -> Vec<BudgetLeft> {
        let left = |(window, limit): (Window, u32)| {
            let counter = counters.current(window, window.start(now));
            let resets_at = window.end(counter.start);
            BudgetLeft { window, limit, left: limit.saturating_sub(counter.used), resets_at }
        };
        self.limits().map(left).collect()
    }
}
