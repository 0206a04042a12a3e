//! The only door out: HTTP calls that cannot be turned against the network they come from (K-38).
//!
//! HTTPS to public addresses only, the checked address is the one dialled, redirects are followed by hand and checked
//! again, size and time are bounded, and no error holds a query or a header. Loopback is a door only where the
//! deployment opens it.

mod address;
mod base;
mod error;
mod guard;
mod send;

pub use address::is_public;
pub use base::base_address;
pub use error::HttpError;
pub use guard::Policy;
pub use send::{Answer, Call, Egress, Streaming};

#[cfg(test)]
mod tests;
