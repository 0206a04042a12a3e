//! The Lambda of `on-receipt`.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{Boot, decode, handler, serve};
use on_receipt::{Context, handle};
use serde_json::json;

fn main() -> ExitCode {
    serve(|boot: Boot| {
        Box::pin(async move {
            let context = Arc::new(Context::new(&boot)?);
            Ok(handler(move |event, invocation| {
                let context = context.clone();
                Box::pin(async move {
                    let response = handle(decode(event)?, &context, invocation.now).await;
                    Ok(json!(response))
                })
            }))
        })
    })
}
