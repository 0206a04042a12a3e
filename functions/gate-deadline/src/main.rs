//! The Lambda `gate-deadline`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_gatekeeper::Wired;
use countersign_lambda_entry::{Setting, handler, serve};
use countersign_store_tokens::Tokens;

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let tokens = Tokens::new(boot.table(Setting::TableTokens, &boot.dynamo())?);
            let desk = Arc::new(Wired::waking(&boot, Arc::new(tokens))?.desk);
            Ok(handler(move |event, invocation| {
                let desk = Arc::clone(&desk);
                Box::pin(async move { gate_deadline::handle(&desk, event, &invocation).await })
            }))
        })
    })
}
