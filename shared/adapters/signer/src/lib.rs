//! The two keys of approvals, both kept by KMS: their secrets never enter this process.
//!
//! - [`KmsMac`]: HMAC-SHA-256 for approval links and page nonces.
//! - [`LedgerKey`]: ECDSA on P-256 for the checkpoints of the ledger.

mod error;
mod ledger;
mod mac;

pub use error::SignerError;
pub use ledger::LedgerKey;
pub use mac::KmsMac;
