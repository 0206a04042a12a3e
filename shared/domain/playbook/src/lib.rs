//! Playbooks: YAML → every problem with its place → [`ValidPlaybook`] (F-131…F-167).
//!
//! [`compile`] never panics and bounds what it reads: it is given text from strangers. Stages: `written` (the one
//! declaration of the shape, read by `countersign-document`), `draft` (every text with its place), `names` (what references
//! mean), `check` (links and types), `lower` (defaults, canonical references).

mod check;
mod choose;
mod compile;
mod compile_context;
mod diagnostic;
mod draft;
mod for_each;
mod graph;
mod lower;
mod model;
mod named_elsewhere;
mod names;
mod on_warning;
mod outline;
pub mod render;
mod schema;
mod shape;
mod sink;
mod summary;
mod written;

pub use check::MAX_DONE_AGAIN;
pub use choose::{Candidate, Choice, TriggerMatch, choose};
pub use compile::{Compiled, compile};
pub use compile_context::{Bindings, CompileContext, EndpointContract};
pub use diagnostic::{
    Code, Diagnostic, Place, PlaybookSource, Related, Severity, StepError, StepReport, StepWarning,
};
pub use graph::{Graph, GraphEdge, GraphNode, graph};
pub use model::{
    ActiveHours, ApprovalPolicy, Assurance, Category, ColumnFormat, Escalation, ExecutionMode,
    ForEach, InputDecl, InputType, MonitorConfig, OnError, OnReject, OutputDecl, OutputFormat,
    OutputSchema, PreviewColumn, RESERVED_IDS, RunContext, SECTIONS, SaveTo, Section, Shape, Step,
    StepKind, Trigger, TriggerKind, ValidPlaybook,
};
pub use named_elsewhere::NamedElsewhere;
pub use on_warning::OnWarning;
pub use schema::schema;
pub use summary::NAME as SUMMARY;

#[cfg(test)]
mod tests;
