//! The Lambda `cron-monitor`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use cron_monitor::{Context, handle};

fn main() -> ExitCode {
    countersign_reader::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { handle(context, event, &invocation).await })
    })
}
