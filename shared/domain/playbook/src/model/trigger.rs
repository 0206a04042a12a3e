//! What starts a playbook besides a person: a monitor's clock, or a question.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a monitor looks (F-133).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PlaybookMonitorConfig")]
pub struct MonitorConfig {
    /// `5m | 15m | 30m | 1h | 4h | 12h | 24h`.
    pub interval: String,
    /// The hours it may look in; left out, always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_hours: Option<ActiveHours>,
    /// Whether a look that finds nothing new leaves no trace but a log line.
    pub suppress_if_empty: bool,
}

/// A part of the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveHours {
    /// `HH:MM`.
    pub start: String,
    /// `HH:MM`; earlier than the start when the hours span midnight.
    pub end: String,
    /// An IANA name such as `Europe/Berlin`.
    pub timezone: String,
}

/// What makes a question start this playbook (F-134).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PlaybookTrigger")]
pub struct Trigger {
    /// What to look for.
    pub pattern: String,
    /// How.
    #[serde(rename = "type")]
    pub kind: TriggerKind,
    /// Higher wins.
    pub priority: i32,
}

/// How a trigger's pattern is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerKind {
    /// The pattern occurs, in any case.
    #[default]
    Keyword,
    /// The pattern is a regular expression that matches somewhere, in any case.
    Regex,
    /// The question says most of the same words, in any order.
    Semantic,
}
