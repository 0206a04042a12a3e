//! The Lambda `on-upload`: wiring only.

use std::process::ExitCode;

use countersign_clock::Clock;
use countersign_lambda_entry::{decode, run};
use on_upload::handle;
use serde_json::json;

fn main() -> ExitCode {
    run(Clock::new, |clock, event, invocation| {
        Box::pin(async move { Ok(json!(handle(decode(event)?, clock, &invocation).await)) })
    })
}
