//! `main` of a tool Lambda.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{Boot, Handler, Invocation, StartError, decode, handler};
use futures::future::BoxFuture;

use crate::context::Context;
use crate::run_step::run_step;

/// Serves steps: `build` makes the context once.
#[must_use]
pub fn serve(build: fn(Boot) -> BoxFuture<'static, Result<Context, StartError>>) -> ExitCode {
    countersign_lambda_entry::serve_with(Box::new(move |boot| {
        Box::pin(async move { Ok(handle_with(build(boot).await?)) })
    }))
}

fn handle_with(context: Context) -> Handler {
    let context = Arc::new(context);
    handler(move |event, invocation: Invocation| {
        let context = Arc::clone(&context);
        Box::pin(async move {
            let event = decode(event)?;
            let answer = run_step(&context, &event, &invocation).await?;
            Ok(serde_json::json!(answer))
        })
    })
}
