//! The Lambda `run-begin`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use run_begin::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { handle(context, event, &invocation).await })
    })
}
