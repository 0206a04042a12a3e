//! A playbook as it is written: the one declaration of its shape, and what one part of it says about another.

mod call;
mod columns;
mod for_each;
mod gate;
mod head;
mod output;
mod report;
mod step;
mod text;

use countersign_document::{Document, Limits, List, MaybeBlank, Rules, Text};
use schemars::JsonSchema;
use serde::Deserialize;

use self::report::report;
use self::text::{Id, Tag};
use crate::diagnostic::Code;
use crate::model::{ApprovalPolicy, Category, ExecutionMode, RunContext};

pub(crate) use self::call::{Answer, Call, LlmTask, Tool};
pub(crate) use self::for_each::ForEach;
pub(crate) use self::gate::Gate;
pub(crate) use self::head::{Input, Monitor, Trigger, Version};
pub(crate) use self::output::Output;
pub(crate) use self::step::{MAX_STEPS, Step};

/// The longest text of a setting, in characters.
const MAX_TEXT: usize = 20_000;

/// A text of a setting.
type Setting = MaybeBlank<MAX_TEXT>;
/// A text that must say something.
type Filled = Text<MAX_TEXT>;

/// What an agent does: steps in listed order, each using the results of earlier ones, with gates at which people decide.
/// Countersign checks more than a schema can: actions with their inputs and params, references, conditions, types.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Playbook {
    /// Its name among your playbooks: lower-case words and numbers joined by hyphens.
    pub(crate) id: Id,
    /// What people read.
    pub(crate) name: Filled,
    /// What it does.
    #[serde(default)]
    pub(crate) description: Setting,
    /// The author's version, kept as it is written; 1.0.0 when left out.
    pub(crate) version: Option<Version>,
    /// What it is for.
    #[serde(default)]
    pub(crate) category: Category,
    /// Words to find it by.
    #[serde(default)]
    pub(crate) tags: List<Tag, 0, 20>,
    /// Connectors that the profile must have bound.
    #[serde(default)]
    pub(crate) required_connectors: List<String, 0, 50>,
    /// Whether a model takes part; left out, as the profile says. `deterministic`: no step or summary may call one.
    pub(crate) execution_mode: Option<ExecutionMode>,
    /// How it is started. A run started by hand takes the strictest of this, the profile's and the request's.
    #[serde(default)]
    pub(crate) run_context: RunContext,
    /// Whether gates ask. With `require` they do, whatever a schedule, a monitor or an agent says. `auto_approve` is accepted in
    /// `scheduled` and `monitor` playbooks only, and opens no gate: a schedule or a monitor says it, or the agent of a schedule.
    pub(crate) approval_policy: Option<ApprovalPolicy>,
    /// When it looks, as a monitor.
    pub(crate) monitor_config: Option<Monitor>,
    /// What makes a question start it.
    #[serde(default)]
    pub(crate) triggers: List<Trigger, 0, 100>,
    /// Its variables.
    #[serde(default)]
    pub(crate) inputs: List<Input, 0, 100>,
    /// What it does, in the order in which it runs; at most 500 with sub-steps.
    #[schemars(extend("x-hint" = "a playbook has at least one step"))]
    pub(crate) steps: List<Step, 1, MAX_STEPS>,
    /// What a run gives back.
    pub(crate) output: Option<Output>,
}

impl Document for Playbook {
    const KIND: &'static str = "playbook";
    const LIMITS: Limits = Limits { values: 50_000, aliases: 500, ..Limits::DEFAULT };
    const OUT_OF_RANGE: &'static str = Code::OutOfRange.as_str();

    fn rules(&self, rules: &mut Rules<'_>) {
        self.check_policy(rules);
        if let Some(monitor) = &self.monitor_config {
            rules.within("monitor_config", |rules| monitor.rules(rules));
        }
        rules.within("triggers", |rules| {
            for (n, trigger) in self.triggers.iter().enumerate() {
                rules.within(n, |rules| trigger.rules(rules));
            }
        });
        rules.within("inputs", |rules| {
            for (n, input) in self.inputs.iter().enumerate() {
                rules.within(n, |rules| input.rules(rules));
            }
        });
        step::all(&self.steps, "steps", 0, rules);
        if let Some(output) = &self.output {
            rules.within("output", |rules| output.rules(self.mode(), rules));
        }
    }
}

impl Playbook {
    /// What holds for what is written here: without a mode, a model may take part.
    pub(crate) fn mode(&self) -> ExecutionMode {
        self.execution_mode.unwrap_or_default()
    }

    /// K-11: gates pass by themselves only where nobody is there to ask.
    fn check_policy(&self, rules: &mut Rules<'_>) {
        if self.approval_policy != Some(ApprovalPolicy::AutoApprove) {
            return;
        }
        if matches!(self.run_context, RunContext::Scheduled | RunContext::Monitor) {
            let message =
                "`auto_approve` of a playbook opens no gate: a schedule says it, or its agent";
            report(rules, Code::AutoApproveUnused, "/approval_policy", message, None);
        } else if rules.is_sound("/run_context") {
            let message =
                "`auto_approve` is only for playbooks with `run_context: scheduled` or `monitor`";
            let hint = "leave it out: gates then ask".to_owned();
            report(rules, Code::AutoApproveForbidden, "/approval_policy", message, hint);
        }
    }
}
