//! The step protocol, the same for every tool (DESIGN, "Step protocol").
//!
//! Look at the head, the seal and whether the step is over → resolve its wiring → check the caller's rights now → for
//! an irreversible action find the signature that covers exactly these arguments, and leave a mark before acting →
//! act with an idempotency key → record outcome and event in one transaction.
//!
//! Requests to DynamoDB on the happy path, beside the action's own: reversible 3 (look, rights, end), irreversible 5 (and the
//! signature, and the mark). One more, for what a step reads, where the process does not know the plan yet.

mod act;
mod again;
mod attempts;
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
mod member;
mod not_asked;
mod prepare;
mod protocol;
mod replay;
mod retry_key;
mod rewrite;
mod run_step;
mod sealed_plans;
mod serve;
mod signature;
mod step_end;
mod turns;
mod unknown;
mod upstream;
mod warned;

pub use attempts::{Attempts, within};
pub use context::Context;
pub use error::StepError;
pub use event::{Answer, AsksTools, Envelope, More, StepEvent, ToolPlace, ToolToCall};
pub use finished::finished_call;
pub use gate::{Asked, gate_ask, gate_failed};
pub use gate_ask::GateAsk;
pub use member::refused as member_refused;
pub use prepare::{Prepared, prepare};
pub use protocol::denied;
pub use run_step::run_step;
pub use serve::serve;
