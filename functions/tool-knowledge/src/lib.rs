//! The actions of the knowledge graph as a Lambda.

use std::sync::Arc;

use countersign_actions_detect::{NewEntities, handlers};
use countersign_actions_knowledge::{Stores, actions};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_step_entry::Context;
use countersign_store_catalog::Catalog;
use countersign_store_knowledge::KnowledgeStore;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let table = boot.table(Setting::TableKnowledge)?;
    let store = Arc::new(KnowledgeStore::new(table, boot.blobs()?));
    let profiles = Arc::new(Catalog::new(boot.table(Setting::TableCatalog)?));
    let entities =
        NewEntities { discovered: store.clone(), namespaces: profiles.clone(), origins: None };
    let mut all = actions(&Stores { graph: store.clone(), explore: store, profiles });
    all.extend(handlers(vec![Arc::new(entities)]));
    Context::new(boot, all)
}
