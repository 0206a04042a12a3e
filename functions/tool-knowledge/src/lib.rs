//! The actions of the knowledge graph as a Lambda.

use std::sync::Arc;

use countersign_actions_knowledge::{ProfileNamespaces, Stores, actions};
use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_profile::ProfileId;
use countersign_registry::action::ActionError;
use countersign_step_entry::Context;
use countersign_store_catalog::Catalog;
use countersign_store_knowledge::KnowledgeStore;
use futures::future::BoxFuture;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let dynamo = boot.dynamo();
    let table = boot.table(Setting::TableKnowledge, &dynamo)?;
    let store = Arc::new(KnowledgeStore::new(table, boot.blobs()?));
    let catalog = Catalog::new(boot.table(Setting::TableCatalog, &dynamo)?);
    let profiles = Arc::new(Profiles(catalog));
    Context::new(boot, actions(&Stores { graph: store.clone(), explore: store, profiles }))
}

/// The parts of the graph that profiles name, from the catalog.
struct Profiles(Catalog);

impl ProfileNamespaces for Profiles {
    fn namespaces<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Namespace>, ActionError>> {
        Box::pin(async move {
            let Ok(id) = ProfileId::parse(profile) else { return Ok(Vec::new()) };
            let found = self.0.profiles().get(owner, &id).await;
            let found = found.map_err(|error| ActionError::from_failure(&error))?;
            Ok(found.map(|found| found.spec.knowledge_config.namespaces()).unwrap_or_default())
        })
    }
}
