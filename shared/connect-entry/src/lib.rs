//! What every function that calls connectors is made of: catalogue, vault, uploads, shared budgets, the way out.

use std::sync::Arc;

use countersign_actions_connect::{ActionTools, Deps, Robots, Tokens};
use countersign_failure::chain;
use countersign_http_out::{Egress, Policy};
use countersign_lambda_entry::{Boot, Setting, StartError, runtime_api};
use countersign_outbox::EventBus;
use countersign_store_catalog::Catalog;
use countersign_store_egress::EgressStore;
use countersign_store_uploads::S3Files;
use countersign_store_vault::VaultStore;
use countersign_vault::{KmsKeys, Vault};

/// The way out of this deployment.
///
/// # Errors
/// [`StartError`] says why the TLS stack cannot start.
pub fn egress(boot: &Boot) -> Result<Egress, StartError> {
    let policy = Policy { allow_loopback: boot.settings.allow_loopback() };
    let egress = Egress::new(policy).map_err(|error| StartError::Runtime(chain(&error)))?;
    // Where loopback is open, Lambda's own address on it stays closed.
    Ok(runtime_api().iter().fold(egress, |egress, own| egress.never(own)))
}

/// Everything a call needs, made once. `tools` are the actions that connectors may stand for here.
///
/// # Errors
/// [`StartError`] names the setting that is missing, or says why the TLS stack cannot start.
pub fn deps(boot: &Boot, tools: ActionTools) -> Result<Deps, StartError> {
    let dynamo = boot.dynamo();
    let catalog = Arc::new(Catalog::new(boot.table(Setting::TableCatalog, &dynamo)?));
    let keys = KmsKeys::new(&boot.aws, boot.settings.need(Setting::VaultKeyId)?);
    let vault =
        VaultStore::new(boot.table(Setting::TableVault, &dynamo)?, Vault::new(Arc::new(keys)));
    let egress = egress(boot)?;
    let shared = Arc::new(EgressStore::new(boot.table(Setting::TableEgress, &dynamo)?));
    Ok(Deps {
        connectors: catalog.clone(),
        health: catalog,
        credentials: Arc::new(vault),
        files: Arc::new(S3Files::new(boot.blobs()?)),
        standing: shared.clone(),
        answers: shared,
        announcer: Arc::new(EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?)),
        robots: Robots::new(egress.clone()),
        egress,
        tokens: Tokens::default(),
        tools: Arc::new(tools),
    })
}
