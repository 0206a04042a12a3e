//! What the owner of a trigger writes.

use countersign_document::{Document, MaybeBlank, Rules, Text, Whole};
use countersign_profile::{ProfileId, ProfileSpec};
use countersign_schedule::Overlap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::TriggerEvent;
use crate::references::{each_problem, names_event};

/// So many triggers one owner may have.
pub const MAX_TRIGGERS: usize = 100;

/// What the owner of a trigger writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Trigger")]
pub struct TriggerSpec {
    /// Its name for people.
    pub name: Text<100>,
    /// What it is for.
    #[serde(default)]
    pub description: MaybeBlank<2_000>,
    /// The agent that is to run, `prof_…`.
    pub profile_id: ProfileId,
    /// The playbook it follows; left out, the agent's skill with the highest priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<Text<100>>,
    /// What fires it.
    pub on: TriggerEvent,
    /// The inputs of the playbook, by name: values, or references to the event such as `{body.invoice.id}`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// What the agent is asked. It is the same for every event: what an event brings goes into `inputs`.
    #[serde(default = "question")]
    pub query_template: Text<16_000>,
    /// Whether it fires.
    #[serde(default = "yes")]
    pub is_active: bool,
    /// What becomes of an event while a run of this trigger goes on, or waits for people.
    #[serde(default = "allow")]
    pub overlap: Overlap,
    /// How often a run that failed is repeated: what it has sent is not sent again.
    #[serde(default)]
    pub max_retries: Whole<0, 10, 2>,
    /// How long a run may work before it is ended; the time in which it waits for people does not count.
    #[serde(default)]
    pub timeout_seconds: Whole<1, 86_400, 300>,
    /// The most runs that it starts in a day, midnight to midnight UTC, so that others of its owner's have room; left out, as many as
    /// its owner may start. Repetitions are not counted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_day: Option<Whole<1, 100_000>>,
}

impl TriggerSpec {
    /// The playbook that its runs follow: the one that is named, else the agent's skill with the highest priority. None when the
    /// agent has none, or several of that priority.
    #[must_use]
    pub fn playbook<'a>(&'a self, agent: &'a ProfileSpec) -> Option<&'a str> {
        agent.named_or_first(self.playbook_id.as_ref())
    }
}

fn yes() -> bool {
    true
}

/// Events have nothing to do with each other: one that waits for a signature does not keep the next one.
fn allow() -> Overlap {
    Overlap::Allow
}

/// The default question. It is not blank and short, so that it always reads.
fn question() -> Text<16_000> {
    let question = serde_json::from_value(Value::from("Triggered"));
    question.unwrap_or_else(|_| unreachable!("the default question reads"))
}

impl Document for TriggerSpec {
    const KIND: &'static str = "trigger";

    fn rules(&self, rules: &mut Rules<'_>) {
        if self.inputs.len() > 100 {
            rules.error("inputs", "/inputs", "are more than a playbook has");
        }
        if self.query_template.contains(['{', '}']) {
            let hint = "write references in `inputs`".to_owned();
            let message = "`query_template` is the same for every event and has no references";
            rules.hinted("variable", "/query_template", message, hint);
        }
        let is_known = |key: &str| names_event(&self.on, key);
        rules.refuse_unquoted("reference", "/inputs", &is_known);
        for (name, value) in &self.inputs {
            let name = name.replace('~', "~0").replace('/', "~1");
            each_problem(&self.on, value, &format!("/inputs/{name}"), &mut |at, wrong| {
                rules.hinted("reference", at, wrong.message, wrong.hint);
            });
        }
    }
}
