//! From nodes to a draft: keys, shapes, words and numbers. Links between steps come later.

mod action;
mod columns;
pub(crate) mod fields;
mod for_each;
mod gate;
mod header;
mod step;

use countersign_registry::Contract;
use countersign_wiring::Condition;

use crate::compile_context::{EndpointContract, World};
use crate::model::{
    ApprovalPolicy, Assurance, Category, ExecutionMode, InputDecl, MonitorConfig, OnError,
    OnReject, OutputFormat, OutputSchema, PreviewColumn, RunContext, SaveTo, Trigger,
};
use crate::node::{Node, Text};
use crate::on_warning::OnWarning;
use crate::sink::{Sink, Spot};

pub(crate) use action::not_bound;
pub(crate) use step::inside;

/// A playbook whose parts are well formed.
#[derive(Debug)]
pub(crate) struct Draft<'w> {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) version: String,
    pub(crate) category: Category,
    pub(crate) required_connectors: Vec<Text>,
    pub(crate) execution_mode: ExecutionMode,
    pub(crate) run_context: RunContext,
    pub(crate) approval_policy: ApprovalPolicy,
    pub(crate) monitor_config: Option<MonitorConfig>,
    pub(crate) triggers: Vec<Trigger>,
    pub(crate) inputs: Vec<(InputDecl, Spot)>,
    pub(crate) output: Option<DraftOutput>,
    /// Every step: a parallel step is followed by its sub-steps.
    pub(crate) steps: Vec<DraftStep<'w>>,
}

/// The output, with its references not yet checked.
#[derive(Debug)]
pub(crate) struct DraftOutput {
    pub(crate) format: OutputFormat,
    pub(crate) template: Option<Text>,
    pub(crate) sections: Vec<(String, Text, Option<String>)>,
    pub(crate) auto_enrich_graph: bool,
    pub(crate) save_to: SaveTo,
    pub(crate) summary_prompt: Option<Text>,
}

/// A step, with its references not yet checked.
#[derive(Debug)]
pub(crate) struct DraftStep<'w> {
    pub(crate) name: Text,
    pub(crate) description: String,
    pub(crate) kind: DraftKind<'w>,
    pub(crate) output_key: Option<Text>,
    pub(crate) condition: Option<(Condition, Spot)>,
    pub(crate) on_error: Option<(OnError, Spot)>,
    pub(crate) on_warning: Option<(OnWarning, Spot)>,
    pub(crate) retry_count: Option<u32>,
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
    /// `in`; none when an error about it was reported.
    pub(crate) list: Option<Text>,
    /// `as`; its place is that of the key when it is left out.
    pub(crate) item: Text,
    pub(crate) key: Option<Text>,
    pub(crate) parallel: u32,
    pub(crate) max: u32,
}

/// What a step does.
#[derive(Debug)]
pub(crate) enum DraftKind<'w> {
    Action(DraftAction<'w>),
    Parallel,
    Approval(DraftApproval),
    /// Not known, because of an error already reported. Nothing more is said about it.
    Unknown,
}

/// The call of an action.
#[derive(Debug)]
pub(crate) struct DraftAction<'w> {
    pub(crate) action: String,
    pub(crate) contract: Option<&'w Contract>,
    /// For `call_connector`, when the endpoint is known.
    pub(crate) endpoint: Option<&'w EndpointContract>,
    pub(crate) inputs: Vec<(Text, Node)>,
    pub(crate) params: Vec<(Text, Node)>,
    pub(crate) output_schema: Option<OutputSchema>,
    pub(crate) llm: bool,
}

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
    pub(crate) on_reject: OnReject,
    pub(crate) approvers: Vec<String>,
    pub(crate) quorum: u32,
    pub(crate) assurance: Option<Assurance>,
    pub(crate) assurance_spot: Spot,
}

impl DraftAction<'_> {
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

/// Reads the whole draft.
pub(crate) fn playbook<'w>(
    root: &Node,
    world: World<'w>,
    sink: &mut Sink<'_>,
) -> Option<Draft<'w>> {
    root.duplicates(&mut |key, first| {
        let problem = sink.problem(
            crate::Code::Duplicate,
            key.spot,
            &key.text,
            format!("the key `{}` stands here twice", key.text),
        );
        let first = sink.lines.place(first);
        sink.push(problem.see(first, "first here"));
    });
    header::playbook(root, world, sink)
}
