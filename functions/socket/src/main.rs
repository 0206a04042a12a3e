//! The Lambda `socket`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use socket::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { handle(context, event, invocation.now).await })
    })
}
