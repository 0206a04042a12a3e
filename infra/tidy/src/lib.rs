//! What the architecture promises, checked as tests.
//!
//! Each rule is one module with one function from a [`Project`] to the list of what breaks it, in words that say what
//! to do; `tests/tidy.rs` runs them all over this project. Rules read `cargo metadata`, `template.yaml`, the state
//! machines and the source files, never the network. [`measure`] counts and refuses nothing.

pub mod alarms;
pub mod codes;
pub mod coverage;
pub mod crates;
pub mod dead_letters;
pub mod files;
pub mod functions;
pub mod grants;
pub mod hardening;
pub mod layers;
pub mod machines;
pub mod measure;
pub mod project;
pub mod requirements;
pub mod template;

pub use project::{Package, Project, TidyError};
