//! Step Functions and EventBridge Scheduler.
//!
//! - [`Machine`] starts executions and says what became of them.
//! - [`Tasks`] wakes a waiting execution with the outcome of its gate.
//! - [`Schedules`] calls a function at a time, once or again and again.
//!
//! Futures are boxed at the public methods: an async body is compiled in the crate that polls it.

mod error;
mod machine;
mod schedules;
mod tasks;

pub use error::{StatesError, StatesFuture};
pub use machine::{ExecutionStatus, Machine, Started};
pub use schedules::{Once, Recurring, Schedules};
pub use tasks::{ResumeOutcome, Tasks};
