//! The door at which the events of a run are read as they happen, as server-sent events (R-099…R-102, K-90).
//!
//! It answers at a function URL, which sends an answer in parts; the gateway of the other doors sends none before it is
//! whole. Each event has an id that says everything that was told until then: whoever comes back with it in `Last-Event-ID` is
//! told the rest, and nothing twice. A question is asked here too, and its events follow as the answer to it; the run
//! itself is started by the API.

mod api;
mod context;
mod messages;
mod position;
mod routes;
mod watch;

pub use context::Context;

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use countersign_lambda_entry::{Fault, Invocation, StreamedAnswer};
use countersign_web::door;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

/// Time kept for ending an answer before the function is stopped.
const RESERVE: Duration = Duration::from_secs(5);

/// Until when an answer may go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until(pub(crate) Instant);

/// Serves one event of the function URL.
///
/// # Errors
/// [`Fault`] when the event is not an HTTP request; everything else is an HTTP answer.
pub fn handle(
    context: &Arc<Context>,
    event: Value,
    invocation: &Invocation,
) -> BoxFuture<'static, Result<StreamedAnswer, Fault>> {
    let until = Until(Instant::now() + invocation.remaining.saturating_sub(RESERVE));
    let routes = routes::routes().with_state(Arc::clone(context)).layer(Extension(until));
    let router: Router = door::complete(routes);
    Box::pin(async move { Ok(door::streamed(router, event).await?) })
}
