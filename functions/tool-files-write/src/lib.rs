//! `patch_file`, `move_file` and `delete_file` as a Lambda. Nothing is changed here without a signature.

use std::sync::Arc;

use countersign_actions_files::{FileEffects, destructive};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_step_entry::Context;
use countersign_store_approvals::Approvals;
use countersign_store_content::ContentStore;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let content = ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?);
    let content = Arc::new(content);
    let approvals = Approvals::new(boot.table(Setting::TableApprovals)?);
    let context = Context::new(boot, destructive(&content))?;
    Ok(context.with_describer(Arc::new(FileEffects(content))).with_signatures(Arc::new(approvals)))
}
