//! What every adapter of an AWS service shares.
//!
//! - [`AwsConfig`]: what every client is made of, shared
//! - [`LazyClient`]: a client that its first request makes
//! - [`CallFailure`]: why a call failed, and whether trying again can help
//! - [`http_client`]: the connection of all clients, with the certificates they trust

mod config;
mod failure;
mod lazy;
mod trust;

pub use config::AwsConfig;
pub use failure::{CallFailure, is_transient};
pub use lazy::LazyClient;
pub use trust::{TrustError, http_client};
