//! A typed, narrow way to DynamoDB, and the claim check to S3.
//!
//! Every table has the keys `PK` and `SK`, a TTL attribute `expires_at` (epoch seconds) and at most one index `GSI1`
//! (`GSI1PK`, `GSI1SK`). The `store-*` crates build keys and items with this; nobody else does.
//!
//! Futures are boxed at the public methods: an async body is compiled in the crate that polls it, and there are many
//! binaries.

mod batch;
mod blob;
mod boxed;
mod counters;
mod decode;
mod error;
mod expr;
mod key;
mod query;
mod table;
mod transact;
mod typed;
mod write;

pub use aws_sdk_dynamodb::Client as DynamoClient;
pub use batch::Lookup;
pub use blob::{Blobs, MAX_INLINE, Stored};
pub use boxed::boxed;
pub use counters::{Counts, counts};
pub use decode::decode;
pub use error::StoreError;
pub use expr::Expr;
pub use key::{Item, Key};
pub use query::{Page, Query, Window};
pub use table::Table;
pub use transact::Op;
pub use typed::broken_condition;
pub use write::Write;

/// What every store method returns.
pub type Result<T> = std::result::Result<T, StoreError>;
