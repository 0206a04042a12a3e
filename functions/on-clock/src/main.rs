//! The Lambda `on-clock`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use on_clock::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, _| Box::pin(async move { handle(context, event).await }))
}
