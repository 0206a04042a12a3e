//! Envelope encryption: each record has a data key of its own, which KMS wraps.
//!
//! AES-256-GCM with a fresh data key and a fresh nonce per record. What the record is bound to ([`Bound`]) is both
//! KMS's encryption context and the cipher's additional data: a sealed record moved to another owner, connector or id
//! does not open.

mod error;
mod kms;
mod seal;

pub use error::VaultError;
pub use kms::KmsKeys;
pub use seal::{Bound, DataKey, Keys, Sealed, Vault};

#[cfg(test)]
mod tests;
