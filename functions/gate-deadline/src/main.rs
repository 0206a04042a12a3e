//! The Lambda `gate-deadline`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_gatekeeper::Bootstrap;
use countersign_lambda_entry::{Setting, handler, serve};
use countersign_store_tokens::Tokens;

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let tokens = Tokens::new(boot.table(Setting::TableTokens, &boot.dynamo())?);
            let gatekeeper = Arc::new(Bootstrap::waking(&boot, Arc::new(tokens))?.gatekeeper);
            Ok(handler(move |event, invocation| {
                let gatekeeper = Arc::clone(&gatekeeper);
                Box::pin(
                    async move { gate_deadline::handle(&gatekeeper, event, &invocation).await },
                )
            }))
        })
    })
}
