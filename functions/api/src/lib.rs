//! The REST door.
//!
//! Every handler runs with a [`countersign_web::Signed`] caller, looks everything up under that caller, and answers with
//! a view of its own: what is stored is not what is shown. The OpenAPI document is derived from the same declarations as
//! the routes.

mod clock_queries;
mod context;
mod conversation_query;
mod cursor_keys;
mod documented;
mod documents;
mod health_query;
mod idempotency;
mod journal_pages;
mod lists;
mod model_listed;
mod moments;
mod openapi;
mod pagination;
mod queries;
mod quotas;
mod routes;
mod saving;
mod sessions;
mod skills;
mod status_of_runs;

pub use context::Context;
pub use cursor_keys::CursorKeys;
pub use quotas::Quotas;

use std::sync::Arc;

use axum::Router;
use countersign_lambda_entry::{Fault, Invocation};
use countersign_web::door;
use futures::future::BoxFuture;
use serde_json::Value;

/// The router with everything around it.
pub fn router(context: &Arc<Context>) -> Router {
    door::dressed(openapi::routes(context))
}

/// The OpenAPI document, as `GET /openapi.json` answers.
#[must_use]
pub fn openapi() -> Value {
    openapi::document()
}

/// Serves one event of the HTTP API.
///
/// # Errors
/// [`Fault`] when the event is not an HTTP request; everything else is an HTTP answer.
pub fn handle(
    router: Router,
    event: Value,
    _: Invocation,
) -> BoxFuture<'static, Result<Value, Fault>> {
    Box::pin(async move { Ok(door::answer(router, event).await?) })
}
