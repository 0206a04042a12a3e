//! Reading an answer while the model writes it, event by event. What is read comes from a stranger: events and answers are bounded, and
//! each byte is looked at once.

mod sent_events;

use countersign_http_out::{HttpError, Streaming};
use futures::StreamExt as _;
use futures::stream::BoxStream;

use crate::bedrock;
use crate::chat::{ChatRequest, Reply, Usage};
use crate::error::ModelError;
use crate::protocol::StreamedAnswer;

/// The longest event, bytes.
pub(crate) const MAX_EVENT: usize = 1024 * 1024;

/// Whether an answer is streamed. Not every server that is asked to stream does.
pub(crate) fn is_streamed(open: &Streaming) -> bool {
    is_of(open, sent_events::KIND) || is_of(open, bedrock::KIND)
}

fn is_of(open: &Streaming, kind: &str) -> bool {
    let header = open.header("content-type").unwrap_or_default();
    header.to_ascii_lowercase().starts_with(kind)
}

/// Reads the answer and hands on its text, part by part. One that breaks off has been paid for, nobody knows how much.
pub(crate) async fn read(
    open: Streaming,
    mut answer: Box<dyn StreamedAnswer>,
    request: &ChatRequest<'_>,
) -> (Result<Reply, ModelError>, Usage) {
    let mut events = events(open);
    while let Some(event) = events.next().await {
        // What a broken connection leaves out of a finished answer is at most what it cost.
        if event.is_err() && answer.is_complete() {
            break;
        }
        let part = event.map_err(broken).and_then(|event| answer.take(&event));
        match (part, request.follower) {
            (Err(error), _) => return (Err(error), Usage::Unknown),
            // Whoever does not follow any more misses nothing that matters.
            (Ok(Some(part)), Some(follower)) if !part.is_empty() => drop(follower.send(part)),
            (Ok(_), _) => {}
        }
        if answer.is_over() {
            break;
        }
    }
    if !answer.is_complete() {
        let early = ModelError::BrokeOff("it ended before it was complete".to_owned());
        return (Err(early), Usage::Unknown);
    }
    answer.end(request.max_tokens)
}

/// The data of each event.
fn events(open: Streaming) -> BoxStream<'static, Result<String, ModelError>> {
    if is_of(&open, bedrock::KIND) {
        return bedrock::events(open).boxed();
    }
    sent_events::events(open).boxed()
}

/// An answer has begun: a connection that ends is told apart from one that was not there.
fn broken(error: ModelError) -> ModelError {
    match error {
        ModelError::Http(HttpError::Network { .. }) => {
            ModelError::BrokeOff("the connection ended".to_owned())
        }
        ModelError::Http(HttpError::Timeout { .. }) => {
            ModelError::BrokeOff("it did not end within the time of the step".to_owned())
        }
        other => other,
    }
}
