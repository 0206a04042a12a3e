//! Plans: what will be done, as a sealed DAG of steps in stages.
//!
//! Whatever asks for work — a playbook, a tool call — becomes a [`Plan`]. It is checked ([`check`]), sealed ([`seal`])
//! and executed stage by stage ([`stages`]). Two invariants hold for every plan that is sealed: a gate is an edge to
//! every later step up to the next gate, and no irreversible step can be reached around its signature.

mod any_kind;
mod at_work;
mod check;
mod confirm;
mod detected;
mod dry_run;
mod error;
mod for_each;
mod from_playbook;
mod held;
mod inputs;
mod missed;
mod model;
mod requirement;
mod revise;
mod run_info;
mod runtime;
mod seal;
mod spare;
mod stages;
#[cfg(test)]
mod tests;
mod tools;
mod unattended;

pub use at_work::state;
pub use check::{CALL_SECONDS, MAX_EVENTS, MAX_STEPS, MAX_TOOLS, check, estimated_events};
pub use confirm::confirms;
pub use countersign_playbook::{ColumnFormat, ForEach, OnWarning, PreviewColumn};
pub use detected::{DetectionMismatch, detected};
pub use dry_run::{DryRunContext, SampleProblem};
pub use error::PlanError;
pub use from_playbook::{Request, plan};
pub use inputs::{InputProblem, inputs};
pub use model::{
    Gate, OnError, OnReject, Origin, Plan, PlanStep, StandIn, StandInSource, StepKind,
};
pub use requirement::requirement_of;
pub use run_info::run_info;
pub use runtime::scope;
pub use seal::{check_seal, seal};
pub use stages::{Descriptor, chained, descriptors, stage_numbers, stages};
pub use tools::{CURSOR, Tool, ToolEndpoint, Tools, endpoint_name};
