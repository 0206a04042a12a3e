//! The run loop of functions whose answers leave in parts.

use std::pin::Pin;
use std::process::ExitCode;

use futures::Stream;
use futures::future::BoxFuture;
use lambda_runtime::StreamResponse;

use crate::boot::{Boot, StartError, start};
use crate::handler::{Handler, service};

/// The parts of an answer.
pub type Parts = Pin<Box<dyn Stream<Item = Result<Vec<u8>, lambda_runtime::Error>> + Send>>;

/// An answer of a function URL that sends parts: status and headers, then the parts.
pub type StreamedAnswer = StreamResponse<Parts>;

/// A boxed handler whose answer leaves in parts.
pub type StreamHandler = Handler<StreamedAnswer>;

/// Builds the handler once, then serves events with it until the process is stopped.
#[must_use]
pub fn serve_streams(
    build: fn(Boot) -> BoxFuture<'static, Result<StreamHandler, StartError>>,
) -> ExitCode {
    start(Box::new(move |boot| Box::pin(async move { poll(build(boot).await?).await })))
}

async fn poll(handle: StreamHandler) -> Result<(), StartError> {
    lambda_runtime::run(service(handle)).await.map_err(StartError::stopped)
}
