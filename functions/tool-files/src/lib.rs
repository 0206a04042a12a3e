//! Actions on files and to-dos that destroy nothing, as a Lambda.

use std::sync::Arc;

use countersign_actions_files::actions;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_step_entry::Context;
use countersign_store_content::ContentStore;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let content = boot.table(Setting::TableContent)?;
    Context::new(boot, actions(&Arc::new(ContentStore::new(content, boot.blobs()?))))
}
