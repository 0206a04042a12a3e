//! The Lambda `gate-deadline`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_gatekeeper::{Bootstrap, Gatekeeper};
use countersign_lambda_entry::{Boot, Setting, StartError, run};
use countersign_store_tokens::Tokens;
use gate_deadline::handle;

fn main() -> ExitCode {
    run(gatekeeper, |gatekeeper, event, invocation| {
        Box::pin(async move { handle(gatekeeper, event, &invocation).await })
    })
}

fn gatekeeper(boot: &Boot) -> Result<Gatekeeper, StartError> {
    let tokens = Tokens::new(boot.table(Setting::TableTokens)?);
    Ok(Bootstrap::waking(boot, Arc::new(tokens))?.gatekeeper)
}
