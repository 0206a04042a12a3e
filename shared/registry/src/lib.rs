//! The registry: every action as one typed contract (F-037…F-041).
//!
//! The playbook validator, the REST and MCP tools, the model's tool schema, the permission filter, the composer's
//! drop-downs and the reference docs are all derived from [`Contract`].

pub mod action;
mod contract;
mod data_type;

pub use contract::{Contract, Slot};
pub use data_type::{DataType, Field};
