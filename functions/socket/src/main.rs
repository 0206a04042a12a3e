//! The Lambda `socket`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::run;
use countersign_push::Push;
use socket::handle;

fn main() -> ExitCode {
    run(Push::new, |push, event, invocation| {
        Box::pin(async move { handle(push, event, invocation.now).await })
    })
}
