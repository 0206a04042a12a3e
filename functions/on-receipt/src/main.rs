//! The Lambda of `on-receipt`.

use std::process::ExitCode;

use countersign_lambda_entry::{decode, run};
use on_receipt::{Context, handle};
use serde_json::json;

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { Ok(json!(handle(decode(event)?, context, invocation.now).await)) })
    })
}
