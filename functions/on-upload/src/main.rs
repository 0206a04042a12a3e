//! The Lambda `on-upload`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_clock::Clock;
use countersign_lambda_entry::{decode, handler, serve};
use on_upload::handle;
use serde_json::json;

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let clock = Arc::new(Clock::new(&boot)?);
            Ok(handler(move |event, invocation| {
                let clock = Arc::clone(&clock);
                Box::pin(
                    async move { Ok(json!(handle(decode(event)?, &clock, &invocation).await)) },
                )
            }))
        })
    })
}
