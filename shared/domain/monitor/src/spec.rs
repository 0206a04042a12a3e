//! What the owner of a monitor writes.

use countersign_document::{Document, MaybeBlank, Rules, Text, Whole};
use countersign_profile::{ApprovalPolicy, ProfileId, ProfileSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hours::ActiveHours;
use crate::interval::Interval;

/// What the owner of a monitor writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Monitor")]
pub struct MonitorSpec {
    /// Its name for people.
    pub name: Text<100>,
    /// What it is for.
    #[serde(default)]
    pub description: MaybeBlank<2_000>,
    /// The agent that looks and runs, `prof_…`.
    pub profile_id: ProfileId,
    /// The playbook whose detection steps look; left out, the agent's skill with the highest priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<Text<100>>,
    /// The inputs of the playbook, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// How often it looks; left out, as the playbook's `monitor_config` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The hours in which it may look; left out, as the playbook's `monitor_config` says, else always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_hours: Option<ActiveHours>,
    /// Whether a look that finds nothing new leaves no trace but the time; left out, as the playbook's `monitor_config`
    /// says, else yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_if_empty: Option<bool>,
    /// What the agent is asked when there is something new.
    #[serde(default = "check")]
    pub query_template: Text<16_000>,
    /// Whether gates before reversible steps open by themselves in its runs.
    #[serde(default)]
    pub approval_policy: ApprovalPolicy,
    /// Whether it looks; `pause` and `resume` set it.
    #[serde(default = "yes")]
    pub is_active: bool,
    /// Whether what is there at its first look counts as new; else that is where it begins.
    #[serde(default)]
    pub process_first: bool,
    /// The most items that one of its runs gets; the others are new at the next look.
    #[serde(default)]
    pub batch_size: Whole<1, 1_000, 1_000>,
    /// How late something may come, in minutes: what is dated so long before the newest is still looked for.
    #[serde(default)]
    pub overlap_minutes: Whole<0, 43_200, 1_440>,
    /// The most runs that it starts in a day, midnight to midnight UTC, so that others of its owner's have room; left out, as many as
    /// its owner may start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_day: Option<Whole<1, 100_000>>,
}

impl MonitorSpec {
    /// The playbook whose detection steps look: the one that is named, else the agent's skill with the highest priority. None
    /// when the agent has none, or several of that priority.
    #[must_use]
    pub fn playbook<'a>(&'a self, agent: &'a ProfileSpec) -> Option<&'a str> {
        agent.named_or_first(self.playbook_id.as_ref())
    }
}

fn yes() -> bool {
    true
}

/// The default question (F-209). It is not blank and short, so that it always reads.
fn check() -> Text<16_000> {
    let question = serde_json::from_value(Value::from("Monitor check"));
    question.unwrap_or_else(|_| unreachable!("the default question reads"))
}

impl Document for MonitorSpec {
    const KIND: &'static str = "monitor";

    fn rules(&self, rules: &mut Rules<'_>) {
        if let Some(hours) = &self.active_hours {
            hours.rules(rules);
        }
        if self.inputs.len() > 100 {
            rules.error("inputs", "/inputs", "are more than a playbook has".to_owned());
        }
        if self.query_template.contains(['{', '}']) {
            let message = "nothing is filled in here: `query_template` is the same for every look";
            rules.warning("variable", "/query_template", message);
        }
    }
}
