//! The Lambda `gate-deadline`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_gatekeeper::Wired;
use countersign_lambda_entry::{handler, serve};

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let desk = Arc::new(Wired::new(&boot)?.desk);
            Ok(handler(move |event, invocation| {
                let desk = Arc::clone(&desk);
                Box::pin(async move { gate_deadline::handle(&desk, event, &invocation).await })
            }))
        })
    })
}
