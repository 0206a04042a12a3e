//! `call_connector` for endpoints that only read, as a Lambda.

use countersign_actions_connect::{Mode, actions};
use countersign_connect_entry::reading;
use countersign_lambda_entry::{Boot, StartError};
use countersign_step_entry::Context;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing, or says why the TLS stack cannot start.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    Context::new(boot, actions(reading(boot)?, Mode::Read))
}
