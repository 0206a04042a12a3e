//! What is written, put together for the checks of links: every text with its place, steps in one list, and for each
//! action its contract.

mod action;
mod head;
mod source;
mod step;
mod tools;

use countersign_document::Part;
use countersign_registry::{BackoffMultiplier, Contract, DataType, ModelChoice};
use countersign_wiring::Condition;

use crate::compile_context::EndpointContract;
use crate::model::{
    ApprovalPolicy, Assurance, Category, ExecutionMode, InputDecl, MonitorConfig, OnError,
    OnReject, OutputFormat, OutputSchema, PreviewColumn, RunContext, SaveTo, Trigger,
};
use crate::on_warning::OnWarning;
use crate::sink::{Spot, Text};

pub(crate) use action::not_bound;
pub(crate) use source::Source;
pub(crate) use step::inside;

/// A playbook whose parts are well formed.
#[derive(Debug)]
pub(crate) struct Draft<'d> {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) version: String,
    pub(crate) category: Category,
    pub(crate) tags: Vec<String>,
    pub(crate) required_connectors: Vec<Text>,
    pub(crate) execution_mode: Option<ExecutionMode>,
    pub(crate) run_context: RunContext,
    pub(crate) approval_policy: Option<ApprovalPolicy>,
    pub(crate) monitor_config: Option<MonitorConfig>,
    pub(crate) triggers: Vec<Trigger>,
    pub(crate) inputs: Vec<DraftInput>,
    pub(crate) output: Option<DraftOutput>,
    /// Every step: a parallel step is followed by its sub-steps.
    pub(crate) steps: Vec<DraftStep<'d>>,
}

/// An input.
#[derive(Debug)]
pub(crate) struct DraftInput {
    pub(crate) decl: InputDecl,
    pub(crate) spot: Spot,
    /// Anything, when its type is broken.
    pub(crate) data_type: DataType,
}

/// The output, with its references not yet checked.
#[derive(Debug)]
pub(crate) struct DraftOutput {
    pub(crate) format: OutputFormat,
    pub(crate) template: Option<Text>,
    pub(crate) sections: Vec<DraftSection>,
    pub(crate) auto_enrich_graph: bool,
    pub(crate) save_to: SaveTo,
    pub(crate) summary_prompt: Option<Text>,
}

/// A part of the output.
#[derive(Debug)]
pub(crate) struct DraftSection {
    pub(crate) title: String,
    /// None when it is broken.
    pub(crate) source: Option<Text>,
    pub(crate) format: Option<String>,
    pub(crate) optional: bool,
}

/// A step, with its references not yet checked.
#[derive(Debug)]
pub(crate) struct DraftStep<'d> {
    pub(crate) name: Text,
    pub(crate) description: String,
    pub(crate) kind: DraftKind<'d>,
    pub(crate) output_key: Option<Text>,
    pub(crate) condition: Option<(Condition, Spot)>,
    pub(crate) on_error: Option<(OnError, Spot)>,
    pub(crate) on_warning: Option<(OnWarning, Spot)>,
    pub(crate) retry_count: Option<u32>,
    pub(crate) backoff_multiplier: Option<BackoffMultiplier>,
    pub(crate) timeout_seconds: Option<u32>,
    pub(crate) for_each: Option<DraftEach>,
    /// The parallel step it belongs to.
    pub(crate) parent: Option<usize>,
    /// Its position among the steps in listed order; sub-steps have their parent's.
    pub(crate) top: usize,
}

/// One call for each item of a list, with its references not yet checked.
#[derive(Debug)]
pub(crate) struct DraftEach {
    /// The key in the source.
    pub(crate) spot: Spot,
    /// `in`; none when it is broken.
    pub(crate) list: Option<Text>,
    /// `as`; its place is that of the key when it is left out.
    pub(crate) item: Text,
    pub(crate) key: Option<Text>,
    pub(crate) parallel: u32,
    pub(crate) max: u32,
}

/// What a step does.
#[derive(Debug)]
pub(crate) enum DraftKind<'d> {
    Action(DraftAction<'d>),
    Parallel,
    Approval(DraftApproval),
    /// Not known, because of an error already reported. Nothing more is said about it.
    Unknown,
}

/// The call of an action.
#[derive(Debug)]
pub(crate) struct DraftAction<'d> {
    pub(crate) action: String,
    pub(crate) contract: Option<&'d Contract>,
    /// For `call_connector`, when the endpoint is known.
    pub(crate) endpoint: Option<&'d EndpointContract>,
    pub(crate) inputs: Entries<'d>,
    pub(crate) params: Entries<'d>,
    pub(crate) output_schema: Option<OutputSchema>,
    /// Whether nothing that decides about its result is broken.
    pub(crate) has_known_result: bool,
    pub(crate) llm: bool,
    pub(crate) allow_missing: bool,
    pub(crate) model: Option<ModelChoice>,
}

/// The entries of a mapping, where they are written.
pub(crate) type Entries<'d> = Vec<(Text, Part<'d>)>;

/// A gate.
#[derive(Debug)]
pub(crate) struct DraftApproval {
    pub(crate) preview_from: Option<Text>,
    pub(crate) preview_limit: u32,
    pub(crate) preview_columns: Vec<PreviewColumn>,
    /// Where the field of each column is written.
    pub(crate) column_spots: Vec<Spot>,
    pub(crate) prompt: Option<Text>,
    pub(crate) timeout_minutes: Option<u32>,
    pub(crate) escalation: Option<DraftEscalation>,
    pub(crate) on_reject: OnReject,
    pub(crate) approvers: Vec<Text>,
    pub(crate) quorum: u32,
    pub(crate) assurance: Option<(Assurance, Spot)>,
    pub(crate) revise: Vec<Text>,
}

/// Who is asked in addition.
#[derive(Debug)]
pub(crate) struct DraftEscalation {
    pub(crate) to: Vec<Text>,
    pub(crate) after_minutes: Option<u32>,
}

impl DraftAction<'_> {
    /// The value of a param, when it is a text.
    pub(crate) fn param(&self, key: &str) -> Option<&str> {
        let (_, part) = self.params.iter().find(|(param, _)| param.text == key)?;
        part.value().as_str()
    }

    /// Whether it changes something outside the run; unknown endpoints might.
    pub(crate) fn writes(&self) -> bool {
        self.irreversible() || self.contract.is_some_and(|contract| contract.writes)
    }

    /// Whether it needs a signature; unknown endpoints do.
    pub(crate) fn irreversible(&self) -> bool {
        match self.contract {
            Some(contract) if contract.is_open() => {
                self.endpoint.is_none_or(|endpoint| endpoint.irreversible)
            }
            Some(contract) => contract.irreversible,
            None => false,
        }
    }
}

impl DraftStep<'_> {
    pub(crate) fn is_gate(&self) -> bool {
        matches!(self.kind, DraftKind::Approval(_))
    }

    pub(crate) fn writes(&self) -> bool {
        matches!(&self.kind, DraftKind::Action(action) if action.writes())
    }

    /// The name its result goes by among its siblings.
    pub(crate) fn key(&self) -> &str {
        self.output_key.as_ref().map_or(self.name.text.as_str(), |key| key.text.as_str())
    }
}
