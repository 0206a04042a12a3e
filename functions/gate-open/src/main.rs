//! The Lambda `gate-open`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use gate_open::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { handle(context, event, &invocation).await })
    })
}
