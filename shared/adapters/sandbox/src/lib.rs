//! Runs Python that a model or a stranger wrote
//! ([ADR 45](../../../../docs/adr/0045-code-of-models-computes-and-reaches-nothing.md)).
//!
//! The interpreter knows no files, network, processes or environment, and it works in a child process that has none of these, with
//! limits of memory and computing time. Only data goes in and comes out.

mod child;
mod convert;
mod error;
mod interpret;
mod job;
mod run;

pub use child::child;
pub use error::SandboxError;
pub use job::{Job, Ran};
pub use run::{Bounds, Sandbox};
