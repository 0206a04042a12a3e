//! `/executions/{id}/events`, and `/query/stream`, which starts a run first.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::middleware::from_fn;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use countersign_identity::{Requirement, Role};
use countersign_run::RunId;
use countersign_web::idempotency::Key;
use countersign_web::{Path, Problem, Signed, no_parameters};
use futures::StreamExt as _;
use http::{HeaderMap, StatusCode, header};

use crate::api::Started;
use crate::position::Position;
use crate::watch::{Frame, Watch};
use crate::{Context, Until};

const LAST_EVENT_ID: &str = "last-event-id";
/// How soon a reader whose answer ended comes back.
const RETRY: Duration = Duration::from_secs(1);

pub(crate) fn routes() -> Router<Arc<Context>> {
    let events = get(events).route_layer(from_fn(no_parameters));
    let ask = post(ask).route_layer(from_fn(no_parameters));
    Router::new().route("/executions/{id}/events", events).route("/query/stream", ask)
}

/// Starts a run as `POST /executions` of the API does, with the same body, and answers with its events. `Content-Location`
/// is where a reader goes on who was cut off; asking again under the same `Idempotency-Key` goes on too.
async fn ask(
    State(context): State<Arc<Context>>,
    Extension(Until(until)): Extension<Until>,
    signed: Signed,
    key: Key,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let position = position(&headers)?;
    if headers.contains_key(LAST_EVENT_ID) && key == Key::default() {
        let message = "needs an `Idempotency-Key`: without one, this would be another question";
        return Err(Problem::field("Last-Event-ID", message));
    }
    let Started { id, events_url } = context.api.start(&headers, &body).await?;
    if position.is_over() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let mut response = event_stream(Watch::new(context, signed, id, (position, until)));
    if let Some(place) = events_url.and_then(|url| url.parse().ok()) {
        response.headers_mut().insert(header::CONTENT_LOCATION, place);
    }
    Ok(response)
}

/// What happens in a run of the caller, from `Last-Event-ID` on, until it is over. 204 for a reader who was told the end: clients
/// of server-sent events stop coming back then.
async fn events(
    State(context): State<Arc<Context>>,
    Extension(Until(until)): Extension<Until>,
    signed: Signed,
    headers: HeaderMap,
    Path(run): Path<RunId>,
) -> Result<Response, Problem> {
    signed.caller.permits(&Requirement::role(Role::Reader), None)?;
    let position = position(&headers)?;
    let found = context.runs.owned_head(&signed.caller.user, &run).await?;
    if found.is_none() {
        return Err(Problem::not_found());
    }
    if position.is_over() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(event_stream(Watch::new(context, signed, run, (position, until))))
}

/// All that a reader is told.
fn event_stream(watch: Watch) -> Response {
    let events = watch.frames().map(|frame| Ok::<_, Infallible>(sent(&frame)));
    // Not the `no-cache` of server-sent events: an answer is kept nowhere.
    ([(header::CACHE_CONTROL, "no-store")], Sse::new(events)).into_response()
}

fn position(headers: &HeaderMap) -> Result<Position, Problem> {
    let Some(id) = headers.get(LAST_EVENT_ID) else { return Ok(Position::default()) };
    let position = id.to_str().ok().and_then(Position::read);
    position.ok_or_else(|| {
        let problem = Problem::field("Last-Event-ID", "is not the id of an event from here");
        problem.with_hint("leave it out to be told everything from the beginning")
    })
}

fn sent(frame: &Frame) -> Event {
    match frame {
        Frame::Message(message, id) => {
            let event = Event::default().event(message.name).id(id);
            event.data(message.data.to_string())
        }
        Frame::Hello => Event::default().retry(RETRY).comment("from here on"),
        Frame::Nothing => Event::default().comment("still here"),
    }
}
