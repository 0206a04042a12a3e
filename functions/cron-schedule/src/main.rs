//! The Lambda `cron-schedule`: wiring only.

use std::process::ExitCode;

use countersign_clock::Clock;
use countersign_lambda_entry::run;
use cron_schedule::handle;

fn main() -> ExitCode {
    run(Clock::new, |clock, event, invocation| {
        Box::pin(async move { handle(clock, event, &invocation).await })
    })
}
