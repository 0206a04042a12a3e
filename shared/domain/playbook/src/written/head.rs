//! Everything of a playbook beside its steps and its output.

use countersign_document::{MaybeBlank, Rules, Whole};
use countersign_wiring::{TypeError, coerce};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::report::{check_free, report};
use super::text::{Name, TimeOfDay, ZoneName};
use super::{Filled, MAX_TEXT, Setting};
use crate::choose::{self, LARGEST_PATTERN};
use crate::diagnostic::Code;
use crate::model::{self, InputType, TriggerKind};

/// A version is a string, but nobody puts 1.0 in quotes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Version {
    /// A string.
    Quoted(MaybeBlank<MAX_TEXT>),
    /// What is written counts: 1.10 is not 1.1.
    Bare(#[expect(dead_code, reason = "it is looked up where it is written")] Number),
}

/// When a monitor looks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Monitor {
    /// How often.
    interval: Interval,
    /// The hours in which it may look; left out, always.
    active_hours: Option<ActiveHours>,
    /// Whether a look that finds nothing new leaves no trace but a log line.
    #[serde(default = "yes")]
    suppress_if_empty: bool,
}

fn yes() -> bool {
    true
}

/// How often a monitor looks.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
enum Interval {
    #[serde(rename = "5m")]
    Minutes5,
    #[serde(rename = "15m")]
    Minutes15,
    #[serde(rename = "30m")]
    Minutes30,
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "4h")]
    Hours4,
    #[serde(rename = "12h")]
    Hours12,
    #[serde(rename = "24h")]
    Day,
}

/// A part of the day.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ActiveHours {
    /// "HH:MM".
    start: TimeOfDay,
    /// "HH:MM"; earlier than the start when the hours span midnight.
    end: TimeOfDay,
    /// The IANA name of the time zone in which that is meant.
    timezone: ZoneName,
}

/// What makes a question start a playbook.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trigger {
    /// What to look for.
    pattern: Filled,
    /// How: `keyword` occurs, `regex` matches somewhere, both in any case; `semantic` says most of the same words.
    #[serde(default, rename = "type")]
    kind: TriggerKind,
    /// Higher wins.
    #[serde(default)]
    priority: Whole<-1000, 1000>,
}

/// A variable of a playbook.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Its name in references.
    name: Name,
    /// Its type. A `decimal` is exact: write it as a string, such as "1250.00".
    #[serde(rename = "type")]
    input_type: InputType,
    /// One sentence for people and models.
    #[serde(default)]
    description: Setting,
    /// Whether a run without it is refused.
    #[serde(default)]
    required: bool,
    /// What holds when it is left out; of the type.
    default: Option<Value>,
    /// Where to take it from when it is not given.
    extract_from: Option<Origin>,
}

/// Where an input may come from.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Origin {
    /// What the agent was asked.
    Query,
}

impl Monitor {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        let Some(hours) = &self.active_hours else { return };
        if hours.start.as_str() == hours.end.as_str() && rules.is_sound("/active_hours") {
            let message =
                format!("the active hours have no length: they start and end at {}", hours.start);
            let hint = "leave `active_hours` out to look at any time".to_owned();
            report(rules, Code::WrongShape, "/active_hours/end", message, hint);
        }
    }

    pub(crate) fn model(&self) -> model::MonitorConfig {
        let hours = self.active_hours.as_ref().map(|hours| model::ActiveHours {
            start: hours.start.to_string(),
            end: hours.end.to_string(),
            timezone: hours.timezone.to_string(),
        });
        model::MonitorConfig {
            interval: self.interval.word().to_owned(),
            active_hours: hours,
            suppress_if_empty: self.suppress_if_empty,
        }
    }
}

impl Interval {
    fn word(self) -> &'static str {
        match self {
            Self::Minutes5 => "5m",
            Self::Minutes15 => "15m",
            Self::Minutes30 => "30m",
            Self::Hour => "1h",
            Self::Hours4 => "4h",
            Self::Hours12 => "12h",
            Self::Day => "24h",
        }
    }
}

impl Trigger {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        match self.kind {
            TriggerKind::Regex => self.check_pattern(rules),
            TriggerKind::Semantic if !choose::compares(&self.pattern) => {
                let message =
                    "no question fits this pattern: its words are too common to be compared";
                let hint = "add a more specific word".to_owned();
                report(rules, Code::NoEffect, "/pattern", message, hint);
            }
            _ => {}
        }
    }

    fn check_pattern(&self, rules: &mut Rules<'_>) {
        let built = regex::RegexBuilder::new(&self.pattern).size_limit(LARGEST_PATTERN).build();
        if let Err(error) = built {
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("the pattern is not a regular expression: {why}");
            report(rules, Code::BadPattern, "/pattern", message, None);
        }
    }

    pub(crate) fn model(&self) -> model::Trigger {
        model::Trigger {
            pattern: self.pattern.to_string(),
            kind: self.kind,
            priority: self.priority.to(),
        }
    }
}

impl Input {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        check_free(rules, "/name", self.name.as_str());
        let wrong = self.typed_default().err().filter(|_| rules.is_sound("/type"));
        if let Some(error) = wrong {
            let message = format!("the default does not fit: {error}");
            report(rules, Code::TypeMismatch, "/default", message, None);
        }
        if self.required && self.default.is_some() && rules.is_sound("/default") {
            let message = "`required` has no effect: where nothing is given, the default holds";
            let hint = "leave one of them out".to_owned();
            report(rules, Code::NoEffect, "/required", message, hint);
        }
    }

    fn typed_default(&self) -> Result<Option<Value>, TypeError> {
        let typed = |value: Value| coerce(value, &self.input_type.data_type());
        self.default.clone().map(typed).transpose()
    }

    pub(crate) fn model(&self) -> model::InputDecl {
        model::InputDecl {
            name: self.name.to_string(),
            input_type: self.input_type,
            description: self.description.to_string(),
            required: self.required,
            default: self.typed_default().unwrap_or_default(),
            extract_from: self.extract_from.map(|Origin::Query| "query".to_owned()),
        }
    }
}
