//! How often a monitor looks.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a monitor looks: from every five minutes to once a day. Its number is its minutes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[schemars(extend("x-code" = "interval"))]
#[expect(missing_docs, reason = "the names say it")]
pub enum Interval {
    #[serde(rename = "5m")]
    #[strum(to_string = "5m")]
    Minutes5 = 5,
    #[serde(rename = "15m")]
    #[strum(to_string = "15m")]
    Minutes15 = 15,
    #[serde(rename = "30m")]
    #[strum(to_string = "30m")]
    Minutes30 = 30,
    #[serde(rename = "1h")]
    #[strum(to_string = "1h")]
    Hour = 60,
    #[serde(rename = "4h")]
    #[strum(to_string = "4h")]
    Hours4 = 240,
    #[serde(rename = "12h")]
    #[strum(to_string = "12h")]
    Hours12 = 720,
    #[serde(rename = "24h")]
    #[strum(to_string = "24h")]
    Day = 1_440,
}

impl Interval {
    /// Every interval, the shortest first.
    pub const ALL: [Self; 7] = [
        Self::Minutes5,
        Self::Minutes15,
        Self::Minutes30,
        Self::Hour,
        Self::Hours4,
        Self::Hours12,
        Self::Day,
    ];

    /// As it is written.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.into()
    }

    /// The interval of this label.
    #[must_use]
    pub fn of(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.label() == label)
    }

    /// In minutes (K-65).
    #[must_use]
    pub fn minutes(self) -> u32 {
        self as u32
    }

    /// As a length of time.
    #[must_use]
    pub fn length(self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.minutes()))
    }
}
