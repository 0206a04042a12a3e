//! The Lambda `on-event`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use on_event::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, invocation| {
        Box::pin(async move { handle(context, event, invocation.now).await })
    })
}
