//! Events in frames, as AWS sends them.

use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use aws_smithy_types::event_stream::Message;
use aws_smithy_types::str_bytes::StrBytes;
use bytes::BytesMut;
use countersign_http_out::Streaming;
use futures::Stream;
use futures::stream::try_unfold;
use serde_json::{Value, json};

use crate::error::ModelError;
use crate::stream::MAX_EVENT;

/// How such an answer is marked.
pub(crate) const KIND: &str = "application/vnd.amazon.eventstream";

/// The events of an answer, each as a JSON object with its kind as its only field.
pub(crate) fn events(open: Streaming) -> impl Stream<Item = Result<String, ModelError>> {
    let state = (open, MessageFrameDecoder::new(), BytesMut::new());
    try_unfold(state, |(mut open, mut decoder, mut read)| async move {
        loop {
            let frame = decoder.decode_frame(&mut read).map_err(|_| broken())?;
            if let DecodedFrame::Complete(message) = frame {
                return Ok(Some((event(&message)?, (open, decoder, read))));
            }
            if read.len() > MAX_EVENT {
                return Err(broken());
            }
            match open.chunk().await? {
                Some(chunk) => read.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    })
}

fn event(message: &Message) -> Result<String, ModelError> {
    let payload = || serde_json::from_slice::<Value>(message.payload()).map_err(|_| broken());
    // What is no event says why there are no more of them: an error in its headers, an exception in its payload.
    let event = match header(message, ":message-type") {
        Some("event") => json!({ header(message, ":event-type").unwrap_or_default(): payload()? }),
        Some("error") => json!({ "exception": { "message": header(message, ":error-message") } }),
        _ => json!({ "exception": payload()? }),
    };
    Ok(event.to_string())
}

fn header<'m>(message: &'m Message, name: &str) -> Option<&'m str> {
    let mut headers = message.headers().iter();
    let header = headers.find(|header| header.name().as_str() == name)?;
    header.value().as_string().ok().map(StrBytes::as_str)
}

fn broken() -> ModelError {
    ModelError::Unreadable("it is not a stream of events".to_owned())
}
