//! The Lambda of `on-mail`.

use std::process::ExitCode;

use countersign_lambda_entry::{decode, run};
use on_mail::{Context, handle};
use serde_json::json;

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { Ok(json!(handle(decode(event)?, context, invocation.now).await)) })
    })
}
