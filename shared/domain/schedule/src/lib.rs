//! When an agent is to run by itself (F-202…F-206): what its owner writes, the due times, and what becomes of each.

mod cron;
mod due;
mod following;
mod policy;
mod query;
mod sweep;
#[cfg(test)]
mod tests;
mod timetable;

pub use due::{FoundDue, LATE};
pub use following::{
    MAX_OF_SOURCE, NOTED_TRIES, REPEATED_AFTER, is_kept_waiting, is_too_long, is_waited_for,
    not_known, patience,
};
pub use policy::{
    DueDecision, MAX_QUEUED, MAX_WAITING, MAX_WAITING_OF_OWNER, Misfire, Overlap, bounded, verdicts,
};
pub use query::asked;
pub use sweep::{
    MAX_FOLLOWED, MAX_OVERDUE, MAX_SAID, OPEN_PAGE, SAYING, SWEEP_USED, Sweeps, TASK_ENDS,
    are_enough, end_of_open, in_turn, in_turns_by, sweep_share,
};
pub use timetable::Timetable;

use countersign_document::{Document, MaybeBlank, Refused, Rules, Text, Whole, text_type};
use countersign_profile::{ApprovalPolicy, ProfileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// So many schedules may a person have.
pub const MAX_SCHEDULES: usize = 100;

countersign_ids::prefixed_id! {
    /// One schedule.
    pub struct ScheduleId("sched");
}

/// What the owner of a schedule writes.
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
    /// The playbook it follows; left out, the question chooses one of the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<Text<100>>,
    /// Inputs of the playbook, by name; the others are read from the question.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// What the agent is asked; may hold `{date}` and `{last_run_date}`.
    pub query_template: Text<16_000>,
    /// Whether gates before reversible steps open by themselves in its runs; left out, the agent's `default_approval_policy`
    /// counts. Gates before irreversible steps always ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<ApprovalPolicy>,
    /// Whether the clock starts it.
    #[serde(default)]
    pub is_enabled: bool,
    /// What becomes of due times at which nothing could be started.
    #[serde(default)]
    pub misfire: Misfire,
    /// What becomes of a due time while a run of this schedule goes on, or waits for people.
    #[serde(default)]
    pub overlap: Overlap,
    /// How often a run that failed is repeated: what it has sent is not sent again.
    #[serde(default)]
    pub max_retries: Whole<0, 10, 2>,
    /// How long a run may work before it is ended; the time in which it waits for people does not count.
    #[serde(default)]
    pub timeout_seconds: Whole<1, 86_400, 300>,
}

text_type! {
    /// A time in the five fields of cron.
    pub struct CronExpression {
        format: "cron", code: "cron", sample: "0 6 * * *", check: cron::check
    }
    /// The name of a time zone.
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
    if countersign_zones::zone(text).is_some() {
        return Ok(());
    }
    let wrong = Refused::of_key("must be the IANA name of a time zone that there is");
    Err(wrong.hint("such as `Europe/Berlin`, or `UTC`".to_owned()))
}

impl Document for ScheduleSpec {
    const KIND: &'static str = "schedule";

    fn rules(&self, rules: &mut Rules<'_>) {
        for name in query::unknown(&self.query_template) {
            let message = format!("`{{{name}}}` is not a variable of a query");
            let hint = "use `{date}` or `{last_run_date}`".to_owned();
            rules.hinted("variable", "/query_template", message, hint);
        }
        if let Some((at, brace)) = query::unpaired(&self.query_template) {
            let other = if brace == '{' { '}' } else { '{' };
            let message = format!("a `{brace}` without its `{other}`");
            let hint = "braces are for `{date}` and `{last_run_date}` alone".to_owned();
            rules.inside("variable", ("/query_template", at), message, hint);
        }
        if self.inputs.len() > 100 {
            rules.error("inputs", "/inputs", "are more than a playbook has".to_owned());
        }
    }
}

impl ScheduleSpec {
    /// When it is due. A schedule that was read has one.
    #[must_use]
    pub fn timetable(&self) -> Option<Timetable> {
        Timetable::new(&self.cron_expression, &self.timezone)
    }

    /// What becomes of a due time that is about to begin, while a run goes on. Where all due times are made up for, none is left
    /// out that was to begin.
    #[must_use]
    pub fn overlap_at_start(&self) -> Overlap {
        match (self.overlap, self.misfire) {
            (Overlap::Skip, Misfire::All) => Overlap::Queue,
            (overlap, _) => overlap,
        }
    }
}
