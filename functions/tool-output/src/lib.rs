//! `save_to_workspace` and `route_output` as a Lambda.

use std::sync::Arc;

use countersign_actions_knowledge::Stores;
use countersign_actions_output::{OwnDestination, ProfileOutputs, actions};
use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_registry::action::{ActionError, ActionFuture};
use countersign_step_entry::Context;
use countersign_store_catalog::Catalog;
use countersign_store_content::ContentStore;
use countersign_store_knowledge::KnowledgeStore;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let content = ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?);
    let catalog = Catalog::new(boot.table(Setting::TableCatalog)?);
    let store = KnowledgeStore::new(boot.table(Setting::TableKnowledge)?, boot.blobs()?);
    let store = Arc::new(store);
    let profiles = Arc::new(catalog.clone());
    let graph = Stores { graph: store.clone(), explore: store, profiles };
    Context::new(boot, actions(Arc::new(content), Arc::new(graph), Arc::new(Profiles(catalog))))
}

/// The destinations of profiles, from the catalog.
struct Profiles(Catalog);

impl ProfileOutputs for Profiles {
    fn destinations<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> ActionFuture<'a, Vec<OwnDestination>> {
        let found = self.0.profile_named(owner, profile);
        Box::pin(async move {
            let found = found.await.map_err(|error| ActionError::from_failure(&error))?;
            let Some(profile) = found else { return Ok(Vec::new()) };
            OwnDestination::all(&profile.spec.output_config)
        })
    }
}
