//! The Lambda `stream`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{handler, serve_streams};
use stream::{Context, handle};

fn main() -> ExitCode {
    serve_streams(|boot| {
        Box::pin(async move {
            let context = Arc::new(Context::new(&boot)?);
            Ok(handler(move |event, invocation| handle(&context, event, &invocation)))
        })
    })
}
