//! The spans of time in which calls are counted.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A span in which calls are counted. All begin where the clock says so in UTC: a month on its first day.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[schemars(rename = "BudgetWindow")]
pub enum Window {
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day in UTC.
    Day,
    /// A month in UTC.
    Month,
}

impl Window {
    /// Every window, shortest first.
    pub const ALL: [Window; 5] =
        [Window::Second, Window::Minute, Window::Hour, Window::Day, Window::Month];

    /// Its name: `second`, `minute`, …
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// When the window that `at` falls in began, in epoch seconds.
    #[must_use]
    pub fn start(self, at: Timestamp) -> i64 {
        let second = at.as_nanosecond().div_euclid(1_000_000_000);
        let second = i64::try_from(second).unwrap_or(i64::MAX);
        match self.seconds() {
            Some(length) => second - second.rem_euclid(length),
            None => month_start(at),
        }
    }

    /// When the window that began at `start` ends.
    #[must_use]
    pub fn end(self, start: i64) -> Timestamp {
        let start = Timestamp::from_second(start).unwrap_or(Timestamp::MAX);
        let end = match self.seconds() {
            Some(length) => start.checked_add(SignedDuration::from_secs(length)),
            None => {
                start.to_zoned(TimeZone::UTC).checked_add(1.month()).map(|first| first.timestamp())
            }
        };
        end.unwrap_or(Timestamp::MAX)
    }

    fn seconds(self) -> Option<i64> {
        match self {
            Self::Second => Some(1),
            Self::Minute => Some(60),
            Self::Hour => Some(3_600),
            Self::Day => Some(86_400),
            Self::Month => None,
        }
    }
}

fn month_start(at: Timestamp) -> i64 {
    let first = at.to_zoned(TimeZone::UTC).date().first_of_month();
    first.to_zoned(TimeZone::UTC).map_or(0, |first| first.timestamp().as_second())
}
