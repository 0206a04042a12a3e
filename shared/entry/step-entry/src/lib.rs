//! The step protocol, the same for every tool (DESIGN, "Step protocol").
//!
//! Look at the head, the seal and whether the step is over → resolve its wiring → check the caller's rights now → for
//! an irreversible action find the signature that covers exactly these arguments, and leave a mark before acting →
//! act with an idempotency key → record outcome and event in one transaction.
//!
//! Requests to DynamoDB on the happy path, beside the action's own: a step that changes nothing 2 (look with the rights, end), one
//! that writes 3 (look, rights, end), irreversible 5 (look, rights, signature, mark, end). Where the process does not know the plan yet:
//! one more for what the step reads, and one more for the rights of a step that changes nothing. Lists, and runs of members, read more.
//! Steps that follow each other in one invocation mostly make 1 (`chain.rs`).

mod act;
mod again;
mod attempts;
mod call;
mod chain;
mod condition;
mod context;
mod dry_run;
mod earlier;
mod error;
mod event;
mod finished;
mod for_each;
mod gate;
mod gate_ask;
mod intent;
mod known_calls;
mod known_end;
mod member;
mod model_list;
mod not_asked;
mod prepare;
mod protocol;
mod recheck;
mod replay;
mod retry_key;
mod rewrite;
mod rights;
mod run_step;
mod sealed_plans;
mod sent_before;
mod serve;
mod signature;
mod step_end;
mod turns;
mod unknown;
mod upstream;
mod warned;

/// The allocator of tools without children: a step takes a tenth less processor time, for half a megabyte more. The limits of children
/// were measured with the system's.
pub use mimalloc::MiMalloc as Allocator;

pub use attempts::{Attempts, within};
pub use call::call;
pub use context::Context;
pub use earlier::listed;
pub use error::StepError;
pub use event::{Answer, AsksTools, Envelope, More, StepEvent, ToolPlace, ToolToCall};
pub use finished::finished_call;
pub use gate::{Asked, gate_ask, gate_failed};
pub use gate_ask::GateAsk;
pub use member::refused as member_refused;
pub use prepare::{Prepared, prepare};
pub use rights::denied;
pub use run_step::run_step;
pub use serve::serve;
