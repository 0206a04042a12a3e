//! What every HTTP door shares.
//!
//! - [`token`] verifies JSON Web Tokens, for the API and the authorizer alike
//! - [`Signed`]: the extractor that turns a request into a [`Caller`](countersign_identity::Caller), asking the directory
//! - [`Problem`]: every error as `application/problem+json`
//! - [`Json`], [`Query`], [`Path`]: extractors that answer with problems that name the place
//! - [`refuse_unknown`], [`no_parameters`]: no query parameter is ignored
//! - [`Page`], [`PageQuery`]: pages, and authenticated cursors bound to their owner and query
//! - [`IfMatch`] and [`Tagged`]: changes of the version that was read
//! - [`replay`] is the `Idempotency-Key`
//! - [`door`] has headers, request ids, limits, and the way from a Lambda event to a router and back

mod absence;
pub mod door;
mod extract;
pub mod idempotency;
mod page;
mod parameters;
mod precondition;
mod problem;
mod signed;
pub mod token;

pub use extract::{Json, MAX_BODY_BYTES, MAX_JSON_DEPTH, Path, Query, WrittenJson};
pub use page::{Cursor, CursorKey, InvalidCursor, Page, PageQuery};
pub use parameters::{no_parameters, refuse_unknown};
pub use precondition::{IfMatch, Tagged};
pub use problem::{FieldError, Problem, ProblemBody};
pub use signed::{AuthContext, Signed, bearer};
