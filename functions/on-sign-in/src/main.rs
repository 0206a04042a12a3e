//! The Lambda `on-sign-in`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use on_sign_in::{Context, handle};

fn main() -> ExitCode {
    run(Context::new, |context, event, _| Box::pin(async move { handle(context, event).await }))
}
