//! The Lambda `cron-schedule`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_clock::Clock;
use countersign_lambda_entry::{handler, serve};

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let clock = Arc::new(Clock::new(&boot)?);
            Ok(handler(move |event, invocation| {
                let clock = Arc::clone(&clock);
                Box::pin(async move { cron_schedule::handle(&clock, event, &invocation).await })
            }))
        })
    })
}
