//! `#[derive(Failure)]`: what an error says of itself, beside its variants.
//!
//! ```ignore
//! #[derive(Debug, thiserror::Error, Failure)]
//! #[failure(status = 422)]
//! enum OutboxError {
//!     #[error("the mail cannot be sent: {0}")]
//!     #[failure(code = "MAIL_INVALID", help = "check the address in the directory")]
//!     InvalidMail(&'static str),
//!     #[error("the queue did not answer: {reason}")]
//!     #[failure(code = "OUTBOX_UNAVAILABLE", retryable, status = 503)]
//!     Unavailable { reason: String },
//!     #[error(transparent)]
//!     #[failure(forward)]
//!     Deliveries(#[from] StoreError),
//! }
//! ```
//!
//! | attribute | meaning |
//! |---|---|
//! | `code = "CODE"` | the stable code; required, unless `forward` takes it from the cause |
//! | `retryable` | the same request may succeed later; the default is terminal |
//! | `class = EXPR` | a `Class` that a field decides |
//! | `status = EXPR` | the HTTP status; the default follows from the class: 503 or 500 |
//! | `asl = EXPR` | the name that state machines match on; the default follows from the class |
//! | `help = "…"` | what the reader can do; an expression gives an `Option<String>` |
//! | `forward` | everything that is not set here is what the cause says; `forward = FIELD` when there are several fields |
//!
//! On the enum itself they are defaults for the variants that do not forward. Expressions see the fields of their
//! variant by reference: named fields by name, others as `_0`, `_1`.

mod attributes;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `countersign_failure::Failure`; the attributes are described at the top of this crate.
#[proc_macro_derive(Failure, attributes(failure))]
pub fn derive_failure(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::failure(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
