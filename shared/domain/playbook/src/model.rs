//! A valid playbook: what compiling guarantees.

mod gate;
mod output;
mod trigger;

use std::collections::BTreeSet;

use countersign_registry::actions::research_with_tools::{ResearchWithTools, endpoint_of};
use countersign_registry::{Action as _, BackoffMultiplier, CALL_CONNECTOR, DataType, ModelChoice};
pub use countersign_registry::{OutputSchema, Shape};
pub use countersign_run::{ApprovalPolicy, ExecutionMode, RunContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::on_warning::OnWarning;

pub use gate::{Assurance, ColumnFormat, OnReject, PreviewColumn};
pub use output::{OutputDecl, OutputFormat, SECTIONS, SaveTo, Section};
pub use trigger::{ActiveHours, MonitorConfig, Trigger, TriggerKind};

/// Names that stand beside those of playbooks in addresses: a playbook of this name could not be reached (K-70).
pub const RESERVED_IDS: [&str; 1] = ["validate"];

/// What a playbook is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Finds out about somebody or something.
    Investigation,
    /// Watches for something new.
    Monitoring,
    /// Computes from data.
    #[default]
    Analysis,
    /// Reads facts out of documents.
    Extraction,
}

/// A variable of the playbook (F-135).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PlaybookInput")]
pub struct InputDecl {
    /// Its name in references.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub input_type: InputType,
    /// One sentence for people and models.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether a run without it is refused.
    pub required: bool,
    /// What holds when it is left out. It has the declared type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Where to take it from when it is not given: `query`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extract_from: Option<String>,
}

/// The type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputType {
    /// Text.
    String,
    /// A number.
    Number,
    /// An exact decimal number, as money needs it.
    Decimal,
    /// A day or time.
    Date,
    /// The name of a person, organisation, …
    EntityName,
    /// A list of anything.
    List,
}

impl InputType {
    /// The type as actions and conditions know it.
    #[must_use]
    pub fn data_type(self) -> DataType {
        match self {
            Self::String | Self::EntityName => DataType::String,
            Self::Number => DataType::Number,
            Self::Decimal => DataType::Decimal,
            Self::Date => DataType::Date,
            Self::List => DataType::array(DataType::Any),
        }
    }
}

/// A playbook in which every step links (section 12 holds), with every default filled in.
///
/// References in it are canonical: a result is always named by its step's name, never by its output key (K-55), and
/// `{parallel.sub}` is written `{sub}`. So the engine's scope needs the variables by name and each finished step's
/// result by step name, nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CompiledPlaybook")]
pub struct ValidPlaybook {
    /// Kebab-case.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The author's version.
    pub version: String,
    /// What it is for.
    pub category: Category,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Connectors a profile must have bound.
    pub required_connectors: Vec<String>,
    /// Whether a model takes part; left out, as the profile says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_mode: Option<ExecutionMode>,
    /// How it is started.
    pub run_context: RunContext,
    /// Whether gates ask. `require` takes precedence over whatever starts a run; left out, that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<ApprovalPolicy>,
    /// When it looks, as a monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monitor_config: Option<MonitorConfig>,
    /// What starts it from a question; indexed apart (F-152).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Trigger>,
    /// Its variables.
    pub inputs: Vec<InputDecl>,
    /// Its steps, in the order they run (F-151).
    pub steps: Vec<Step>,
    /// What it gives back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputDecl>,
    /// SHA-256 in hex of the canonical form of everything above.
    pub digest: String,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PlaybookStep")]
pub struct Step {
    /// Unique in the playbook, sub-steps included. References name the step's result by it.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it does.
    pub kind: StepKind,
    /// When it runs; a step whose condition is false is skipped (F-147).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What a failure means (K-50, K-51).
    pub on_error: OnError,
    /// How often a failed attempt is repeated before `on_error` holds. 0 to 5.
    pub retry_count: u32,
    /// How many times as long as the one before each pause between two attempts is. 1 to 10; left out, 2.
    #[serde(default, skip_serializing_if = "BackoffMultiplier::is_default")]
    pub backoff_multiplier: BackoffMultiplier,
    /// How long one attempt may take. 1 to 840.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// What it means when some of what it reads cannot be read; left out, the plan decides. Our addition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_warning: Option<OnWarning>,
    /// Set when the step makes one call for each item of a list. Our addition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<ForEach>,
}

/// One call for each item of a list. Only steps that cannot be taken back have it: their calls are signed together, and
/// each has a key, an outcome and a receipt of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForEach {
    /// The reference whose value is the list, without braces.
    #[serde(rename = "in")]
    pub list: String,
    /// The name under which inputs and `key` refer to the item.
    #[serde(rename = "as")]
    pub item: String,
    /// A text with references that names an item; no two items may have the same. Left out, the item's number from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How many calls are made side by side. 1 to 10.
    pub parallel: u32,
    /// The most items the list may have. 1 to 1,000.
    pub max: u32,
}

/// What a failed step means for the run, after its retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The run goes on without its result.
    Skip,
    /// The run ends with what it has.
    Stop,
    /// It was retried (`retry_count` is at least 1); then the run ends, as with `stop` (K-51).
    Retry,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "PlaybookStepKind")]
pub enum StepKind {
    /// Calls an action.
    Action {
        /// Its name in the registry.
        action: String,
        /// Wired data.
        inputs: Map<String, Value>,
        /// Settings, with variables but no step references (K-52). Connector, endpoint and operations stand here (K-53).
        params: Map<String, Value>,
        /// The author's name for the result. References no longer need it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_key: Option<String>,
        /// What a model must answer, for `llm_task` (F-145).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_schema: Option<OutputSchema>,
        /// Whether it calls a model.
        llm: bool,
        /// Whether its model is told why a result does not exist. Our addition.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow_missing: bool,
        /// The model that it asks, when another than the agent's. Our addition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<ModelChoice>,
        /// Whether its effect needs a signature. For `call_connector` decided by the endpoint; when the endpoints are
        /// not known, true.
        irreversible: bool,
        /// The folder of the Lambda that hosts it.
        function: String,
    },
    /// Runs sub-steps side by side.
    Parallel {
        /// They do not use each other's results. No gates among them; at most one more `parallel` level.
        steps: Vec<Step>,
        /// The author's name for the results together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_key: Option<String>,
    },
    /// Waits for people. Covers every later step up to the next gate.
    Approval {
        /// The reference whose value is shown, without braces.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preview_from: Option<String>,
        /// How many items of a list are shown. 1 to 100.
        preview_limit: u32,
        /// Which fields of the shown are columns, in this order; empty, all by rule. At most 12. Our addition.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        preview_columns: Vec<PreviewColumn>,
        /// What is asked; may hold references.
        prompt: String,
        /// When it counts as denied; left out, the default of the run's context (K-16). 1 to 525,600.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_minutes: Option<u32>,
        /// Who is asked in addition when nobody has decided for a while. Our addition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        escalation: Option<Escalation>,
        /// What a denial means (K-13). A missed deadline is a denial (K-12).
        on_reject: OnReject,
        /// User names or mail addresses in the directory; empty, as the policy says. Our addition.
        approvers: Vec<String>,
        /// How many must approve. 1 to 10. Our addition.
        quorum: u32,
        /// How sure we must be who answers; left out, as the policy says. Our addition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assurance: Option<Assurance>,
        /// The steps of models that whoever may decide can have rewritten. At most 10. Our addition.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        revise: Vec<String>,
    },
}

/// Who is asked in addition when a request has waited for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlaybookEscalation")]
pub struct Escalation {
    /// User names or mail addresses in the directory. 1 to 10.
    pub to: Vec<String>,
    /// After so many minutes; left out, half of the time that the gate has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_minutes: Option<u32>,
}

impl ValidPlaybook {
    /// Every step, sub-steps after their parallel step.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().flat_map(Step::with_descendants)
    }

    /// Whether its gates ask, whatever starts a run.
    #[must_use]
    pub fn always_asks(&self) -> bool {
        self.approval_policy == Some(ApprovalPolicy::Require)
    }

    /// The connectors its steps call, and those its models may call.
    #[must_use]
    pub fn connectors(&self) -> BTreeSet<&str> {
        self.all_steps().flat_map(Step::connectors).collect()
    }
}

impl Step {
    fn connectors(&self) -> Vec<&str> {
        let StepKind::Action { action, params, .. } = &self.kind else { return Vec::new() };
        let named = |name: &str| params.get(name).into_iter();
        match action.as_str() {
            CALL_CONNECTOR => named("connector").filter_map(Value::as_str).collect(),
            ResearchWithTools::NAME => {
                let tools = named("tools").filter_map(Value::as_array).flatten();
                let tools = tools.filter_map(Value::as_str).filter_map(endpoint_of);
                tools.map(|(connector, _)| connector).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The step and, if it is parallel, its sub-steps.
    #[must_use]
    pub fn with_descendants(&self) -> Vec<&Step> {
        let mut all = vec![self];
        if let StepKind::Parallel { steps, .. } = &self.kind {
            all.extend(steps.iter().flat_map(Step::with_descendants));
        }
        all
    }
}
