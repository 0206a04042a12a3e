//! The Lambda `on-clock`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{handler, serve};
use on_clock::{Context, handle};

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let context = Arc::new(Context::new(&boot)?);
            Ok(handler(move |event, _| {
                let context = Arc::clone(&context);
                Box::pin(async move { handle(&context, event).await })
            }))
        })
    })
}
