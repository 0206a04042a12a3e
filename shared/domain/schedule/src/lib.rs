//! When an agent is to run by itself (F-202…F-206).
//!
//! This release has no clock: a schedule can be written and kept, and cannot be enabled.

mod cron;
#[cfg(test)]
mod tests;

use countersign_document::{Document, MaybeBlank, Refused, Rules, Text, Whole, text_type};
use countersign_profile::{ApprovalPolicy, ProfileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

countersign_ids::prefixed_id! {
    /// One schedule.
    pub struct ScheduleId("sched");
}

/// What the owner of a schedule writes (F-403, K-63).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Schedule")]
pub struct ScheduleSpec {
    /// Its name for people.
    pub name: Text<100>,
    /// What it is for.
    #[serde(default)]
    pub description: MaybeBlank<2_000>,
    /// The agent that is to run, `prof_…`.
    pub profile_id: ProfileId,
    /// When: minute, hour, day of the month, month, day of the week.
    pub cron_expression: CronExpression,
    /// The IANA name of the time zone in which that is meant.
    #[serde(default)]
    pub timezone: TimeZoneName,
    /// What the agent is asked; may hold `{date}` and `{last_run_date}`.
    pub query_template: Text<16_000>,
    /// Whether gates before reversible steps open by themselves in its runs.
    #[serde(default)]
    pub approval_policy: ApprovalPolicy,
    /// Must be false: this release has no clock.
    #[serde(default)]
    pub is_enabled: bool,
    /// How often a run that failed is started again.
    #[serde(default)]
    pub max_retries: Whole<0, 10, 2>,
    /// How long a run may take.
    #[serde(default)]
    pub timeout_seconds: Whole<1, 86_400, 300>,
}

text_type! {
    /// A time in the five fields of cron.
    pub struct CronExpression {
        format: "cron", code: "cron", sample: "0 6 * * *", check: cron::check
    }
    /// The name of a time zone. Whether the zone exists is decided where its data are.
    pub struct TimeZoneName {
        format: "time-zone", code: "time_zone", sample: "UTC",
        pattern: "^(UTC|[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)+)$", check: zone
    }
}

impl Default for TimeZoneName {
    fn default() -> Self {
        Self("UTC".to_owned())
    }
}

fn zone(text: &str) -> Result<(), Refused> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
    let word = |part: &str| !part.is_empty() && part.chars().all(is_plain);
    let has_area = text.contains('/') && text.len() <= 64 && text.split('/').all(word);
    if text == "UTC" || has_area {
        return Ok(());
    }
    let wrong = Refused::of_key("must be the IANA name of a time zone");
    Err(wrong.hint("such as `Europe/Berlin`, or `UTC`".to_owned()))
}

impl Document for ScheduleSpec {
    const KIND: &'static str = "schedule";

    fn rules(&self, rules: &mut Rules<'_>) {
        if self.is_enabled {
            let message = "`is_enabled` cannot be true: this release has no clock that starts runs";
            rules.hinted("clock", "/is_enabled", message, "leave it false".to_owned());
        }
        for name in unknown(&self.query_template) {
            let message = format!("`{{{name}}}` is not a variable of a query");
            let hint = "use `{date}` or `{last_run_date}`".to_owned();
            rules.hinted("variable", "/query_template", message, hint);
        }
    }
}

/// What stands between braces in a query and is not one of its variables (F-203).
fn unknown(template: &str) -> impl Iterator<Item = &str> {
    let parts = template.split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).filter(|name| !["date", "last_run_date"].contains(name))
}
