//! The Lambda `cron-monitor`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{handler, serve};
use cron_monitor::{Context, handle};

fn main() -> ExitCode {
    countersign_reader::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let context = Arc::new(Context::new(&boot)?);
            Ok(handler(move |event, invocation| {
                let context = Arc::clone(&context);
                Box::pin(async move { handle(&context, event, &invocation).await })
            }))
        })
    })
}
