//! `resolve_entities` as a Lambda.

use std::sync::Arc;

use countersign_actions_knowledge::actions;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_step_entry::Context;
use countersign_store_knowledge::KnowledgeStore;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let table = boot.table(Setting::TableKnowledge, &boot.dynamo())?;
    Context::new(boot, actions(Arc::new(KnowledgeStore::new(table, boot.blobs()?))))
}
