//! The mail door: the page behind a signed link, and the POST that decides.
//!
//! `GET` and `HEAD` only look: mail scanners, previews and prefetchers may ask as often as they like. Only `POST` with the
//! nonce of a page decides, and where the policy asks for it only with a one-time code mailed at that moment to the
//! approver's own address. Every answer is a page of `letter`, with headers that keep it out of caches, frames and
//! referrers. Logs hold the route, never the path: the path is the secret.

mod adapters;
mod codes;
mod decide;
mod form;
mod http;
mod lists;
mod lost;
mod opened;
mod plan;
mod ports;
mod refusal;
mod route;
mod strike;
mod strike_form;
mod strikes;
mod unknown;
mod view;

use std::sync::Arc;

use countersign_approval::{Mac, Tenant};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;

use crate::http::{Incoming, Method, Reply, comes_from_us};
use crate::opened::Visit;
pub use crate::ports::{Act, Look, Seen, SeenRun, StepEffects};
use crate::refusal::Refusal;
use crate::route::Route;

/// What the function is built from.
#[derive(Clone)]
pub struct Context {
    /// The deployment.
    pub tenant: Tenant,
    /// The base of every link; never taken from a request.
    pub public_url: String,
    /// The key of links and nonces.
    pub key: Arc<dyn Mac>,
    /// Reading.
    pub look: Arc<dyn Look>,
    /// Deciding.
    pub act: Arc<dyn Act>,
    /// Random bytes for one-time codes and their salts.
    pub random: fn() -> [u8; 40],
}

/// Serves one event of the HTTP API (payload format 2.0). Every answer is a page.
pub fn handle(event: Value, context: &Context, now: Timestamp) -> BoxFuture<'_, Value> {
    Box::pin(async move {
        // An event of another kind has no path, and there is nothing at no path.
        let request = Incoming::from_event(event).unwrap_or_default();
        let route = Route::of(&request);
        let reply = match serve(&request, &route, context, now).await {
            Ok(reply) => reply,
            Err(refusal) => refusal.reply(&request.reference),
        };
        tracing::info!(route = route.name(), status = reply.status, "answered");
        reply.into_event(request.method)
    })
}

async fn serve(
    request: &Incoming,
    route: &Route,
    context: &Context,
    now: Timestamp,
) -> Result<Reply, Refusal> {
    let visit = |token| Visit { token, context, now };
    match (request.method, route) {
        (_, Route::Unknown) => Err(Refusal::NotFound),
        (Method::Get | Method::Head, Route::Page(token)) => {
            view::page(&visit(token).open().await?).await
        }
        (Method::Get | Method::Head, Route::Rows(token, page)) => {
            lists::rows(&visit(token).open().await?, *page).await
        }
        (Method::Get | Method::Head, Route::Warnings(token, page)) => {
            lists::warnings(&visit(token).open().await?, *page).await
        }
        (Method::Post, Route::Page(token)) => {
            if !comes_from_us(request, &context.public_url) {
                return Err(Refusal::ForeignOrigin);
            }
            decide::post(request, &visit(token).open().await?).await
        }
        (Method::Post, Route::Strike(token)) => {
            if !comes_from_us(request, &context.public_url) {
                return Err(Refusal::ForeignOrigin);
            }
            strike::post(request, &visit(token).open().await?).await
        }
        // The page of a code that somebody opens again.
        (Method::Get | Method::Head, Route::Strike(token)) => {
            Ok(Reply::see(visit(token).page_url()))
        }
        (Method::Get | Method::Head, Route::Effect(token, step, n)) => {
            view::effect(&visit(token).open().await?, step, *n).await
        }
        (Method::Get | Method::Head, Route::Prompt(token)) => {
            view::prompt(&visit(token).open().await?).await
        }
        (
            Method::Post,
            Route::Rows(..) | Route::Warnings(..) | Route::Effect(..) | Route::Prompt(_),
        )
        | (Method::Other, _) => Err(Refusal::Method),
    }
}
