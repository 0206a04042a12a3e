//! `call_connector` for endpoints that have an effect, and `send_channel_message`, as a Lambda. Nothing is called here without a signature.

use std::sync::Arc;

use countersign_actions_connect::{Mode, actions};
use countersign_connect_entry::writing;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_registry::TOOL_CONNECT_WRITE;
use countersign_step_entry::Context;
use countersign_store_approvals::Approvals;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing, or says why the TLS stack cannot start.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let (deps, describer) = writing(boot)?;
    let approvals = Approvals::new(boot.table(Setting::TableApprovals)?);
    let actions = actions(deps, Mode::Write);
    let (describer, approvals) = (Arc::new(describer), Arc::new(approvals));
    Context::acting(boot, TOOL_CONNECT_WRITE, actions, describer, approvals)
}
