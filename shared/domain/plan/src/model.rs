//! What a plan is made of.

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_playbook::{Escalation, ForEach, OnWarning, OutputDecl, PreviewColumn};
use countersign_registry::action::ReadAhead;
use countersign_registry::{BackoffMultiplier, ModelChoice, OutputSchema};
use countersign_run::{DryRun, RunContext, RunId};
use countersign_wiring::{Scope, resolve};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tools::Tools;

/// A plan: what will be done, complete and fixed. Its [`seal`](crate::seal) is the hash of exactly this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of this shape; 1.
    pub version: u8,
    /// The deployment.
    pub tenant: String,
    /// The run it belongs to: a plan is used once.
    pub run: RunId,
    /// Whose records it reads and writes.
    pub owner: UserId,
    /// The profile.
    pub profile: String,
    /// The playbook it was made from.
    pub playbook: Origin,
    /// How the run came about.
    pub context: RunContext,
    /// Set for a test: no step of the plan has an effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
    /// Whether the playbook says that its gates ask, whatever started the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always_asks: bool,
    /// The playbook's variables with their values.
    pub inputs: Map<String, Value>,
    /// Values put together of several results, with references, by the name that gates and output have for them: the results
    /// of a parallel step, and what a step that asks first is about to write.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub composed: Map<String, Value>,
    /// The steps, in listed order.
    pub steps: Vec<PlanStep>,
    /// What the run gives back; left out, the result of its last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputDecl>,
}

/// The playbook a plan was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The digest of its source.
    pub digest: String,
}

/// How the machine treats a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A Lambda does it. If it is irreversible, an earlier gate has signed its exact arguments.
    Tool,
    /// People decide.
    Gate,
    /// People sign the arguments, then a Lambda does it.
    GatedTool,
}

/// What a failure of the step means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The run goes on without its output.
    Skip,
    /// The run ends.
    Stop,
}

/// What a refusal means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// The run ends.
    Stop,
    /// Every step behind the gate, up to the next gate, is left out (K-13).
    Skip,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// Its name, unique in the plan.
    pub name: String,
    /// One sentence for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How the machine treats it.
    pub kind: StepKind,
    /// The action; empty for a gate.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The folder of the Lambda that hosts the action, from the registry's table; never from plan text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// Inputs as written: literals and references.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// Params as written: literals and variables.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Only if this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What a failure means.
    pub on_error: OnError,
    /// What its warnings mean.
    #[serde(default, skip_serializing_if = "is_continue")]
    pub on_warning: OnWarning,
    /// How often to try again before that.
    #[serde(default)]
    pub retries: u32,
    /// How many times as long as the one before each pause between two tries is.
    #[serde(default, skip_serializing_if = "BackoffMultiplier::is_default")]
    pub backoff_multiplier: BackoffMultiplier,
    /// How long one try may take, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// What a model must answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<OutputSchema>,
    /// The model that its agent chose, when it is another than the deployment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelChoice>,
    /// Whether its effect cannot be taken back.
    #[serde(default)]
    pub irreversible: bool,
    /// Set when it makes one call for each item of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<ForEach>,
    /// Set when its model may ask for tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// The steps that must be over before it: the edges of the DAG.
    pub after: Vec<String>,
    /// The gate it lies behind: it runs only if that gate was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    /// The gate that signs its exact arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<String>,
    /// The steps whose results its references name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// What an irreversible call was bound to when the run was planned: it saves reading one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<ReadAhead>,
    /// What a gate asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The output it has without doing anything: in a test, and of a detection step in the run of a monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandIn>,
    /// Whether a reference in its inputs without a value becomes null; otherwise the step fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allows_gaps: bool,
}

/// What stands in for the output of a step: in a test, and in the run of a monitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIn {
    /// Where it comes from.
    pub source: StandInSource,
    /// The output.
    pub output: Map<String, Value>,
}

/// Where the output of a step that does nothing comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandInSource {
    /// The tester gave it; slots that were left out are empty.
    Sample,
    /// Nobody gave it: every slot of the contract is empty.
    Blank,
    /// The monitor found it before the run began.
    Detected,
}

/// What a gate asks (F-146, and who may answer).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The question, with references.
    pub prompt: String,
    /// A reference to what is shown: a list or any value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_from: Option<String>,
    /// How many rows of it.
    pub preview_limit: u32,
    /// Which fields are columns, how they are labelled and written; empty, all of them by rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preview_columns: Vec<PreviewColumn>,
    /// How long people have, minutes; the default of the context when absent (K-16).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_minutes: Option<u32>,
    /// Who is asked in addition when nobody has decided for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// What a refusal means.
    pub on_reject: OnReject,
    /// Who may sign: user names or addresses of the directory; empty = the profile's approvers, else the owner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<String>,
    /// How many of them must.
    pub quorum: u32,
    /// How surely they must be known: `link | link_code | signed_in`; the policy's default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assurance: Option<String>,
    /// The irreversible steps behind it whose arguments are known when it opens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<String>,
    /// The steps of models that whoever may decide can have rewritten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revise: Vec<String>,
}

/// A template with its references filled in. What does not parse has been refused when the playbook was compiled.
fn composed(template: &Value, scope: &Scope<'_>) -> Value {
    match template {
        Value::Array(items) => items.iter().map(|item| composed(item, scope)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, item)| (name.clone(), composed(item, scope))).collect()
        }
        text => resolve(text, scope).unwrap_or_default(),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_continue(on_warning: &OnWarning) -> bool {
    *on_warning == OnWarning::Continue
}

impl Plan {
    /// The steps that are over before this one begins, whether it uses their results or not.
    #[must_use]
    pub fn before(&self, step: &str) -> BTreeSet<&str> {
        let mut before = BTreeSet::new();
        let mut left: Vec<&PlanStep> = self.step(step).into_iter().collect();
        while let Some(step) = left.pop() {
            for earlier in &step.after {
                if before.insert(earlier.as_str()) {
                    left.extend(self.step(earlier));
                }
            }
        }
        before
    }

    /// A step by name.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&PlanStep> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// The value of a name in `composed`; results that there are not are null.
    #[must_use]
    pub fn composed(&self, name: &str, scope: &Scope<'_>) -> Option<Value> {
        self.composed.get(name).map(|template| composed(template, scope))
    }

    /// The names of the steps, in listed order.
    #[must_use]
    pub fn order(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.name.clone()).collect()
    }
}
