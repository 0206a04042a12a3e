//! The Lambda `on-connector`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use on_connector::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, _| Box::pin(async move { handle(context, event).await }))
}
