//! The Lambda of `approvals`.

use std::process::ExitCode;

use approvals::{Context, handle};
use countersign_lambda_entry::run;

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { Ok(handle(event, context, invocation.now).await) })
    })
}
