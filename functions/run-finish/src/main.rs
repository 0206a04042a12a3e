//! The Lambda `run-finish`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use run_finish::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { handle(context, event, &invocation).await })
    })
}
