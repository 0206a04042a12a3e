//! The Lambda of `approvals`.

use std::process::ExitCode;
use std::sync::Arc;

use approvals::{Context, handle};
use countersign_lambda_entry::{Boot, handler, serve};

fn main() -> ExitCode {
    serve(|boot: Boot| {
        Box::pin(async move {
            let context = Arc::new(Context::new(&boot)?);
            Ok(handler(move |event, invocation| {
                let context = context.clone();
                Box::pin(async move { Ok(handle(event, &context, invocation.now).await) })
            }))
        })
    })
}
