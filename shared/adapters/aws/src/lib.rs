//! What every adapter of an AWS service shares.
//!
//! - [`AwsConfig`]: what every client is made of, shared
//! - [`LazyClient`]: a client that its first request makes
//! - [`CallFailure`]: why a call failed, and whether trying again can help
//! - [`answered`]: what a service says instead of doing it, where that is an answer as well
//! - [`signed`]: the headers of a request that is sent without an SDK
//! - [`http_client`]: the connection of all clients, with the certificates they trust
//!
//! Constructors of adapters are `#[inline]`. A function makes dozens of them when it starts, and the system maps a program's file in
//! pieces of 64 KB: each constructor that is called where its own crate stands would take one.

mod config;
mod failure;
mod lazy;
mod sign;
mod trust;

pub use config::AwsConfig;
pub use failure::{CallFailure, answered, is_transient};
pub use lazy::LazyClient;
pub use sign::{Unsigned, signed};
pub use trust::{TrustError, http_client};
