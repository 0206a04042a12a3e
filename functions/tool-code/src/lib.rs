//! `run_python` as a Lambda.

use countersign_actions_code::actions;
use countersign_lambda_entry::{Boot, StartError};
use countersign_sandbox::Sandbox;
use countersign_step_entry::Context;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    Context::new(boot, actions(Sandbox::default()))
}
