//! Playbooks: YAML → every problem with its place → [`ValidPlaybook`] (F-131…F-167).
//!
//! [`compile`] never panics and bounds what it reads: it is given text from strangers.

mod diagnostic;
mod model;
mod world;

pub use diagnostic::{
    Code, Diagnostic, Place, PlaybookSource, Related, Severity, StepError, StepReport, StepWarning,
};
pub use model::{
    ActiveHours, ApprovalPolicy, Assurance, Category, ExecutionMode, InputDecl, InputType,
    MonitorConfig, OnError, OnReject, OutputDecl, OutputFormat, OutputSchema, RunContext, SaveTo,
    Section, Shape, Step, StepKind, Trigger, TriggerKind, ValidPlaybook,
};
pub use world::{Bindings, EndpointContract, World};
