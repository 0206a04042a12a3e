//! What every function that calls connectors is made of: catalogue, vault, uploads, shared budgets, the way out.

mod handover;

use std::sync::Arc;

use countersign_actions_connect::{ActionTools, Deps, Robots, Tokens};
use countersign_connector::ConnectorEffects;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_outbox::EventBus;
use countersign_search_entry::{egress, web_actions};
use countersign_store_catalog::Catalog;
use countersign_store_egress::EgressStore;
use countersign_store_uploads::S3Files;
use countersign_store_vault::VaultStore;
use countersign_vault::{KmsKeys, Vault};

use self::handover::handover;

/// Everything a call that reads needs, made once. Connectors may stand for the actions that read the open web.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used.
pub fn reading(boot: &Boot) -> Result<Deps, StartError> {
    let deps = plain(boot)?;
    let tools = ActionTools::new(web_actions(boot, deps.egress.clone())?);
    Ok(Deps { tools: Arc::new(tools), ..deps })
}

/// Everything a call with an effect needs, made once, and what says what it would send. None of these stands for an action
/// of this system.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used.
pub fn writing(boot: &Boot) -> Result<(Deps, ConnectorEffects), StartError> {
    let deps = plain(boot)?;
    let (describing, acting) = handover(&deps.connectors);
    let effects = ConnectorEffects(Arc::new(describing));
    Ok((Deps { connectors: Arc::new(acting), ..deps }, effects))
}

fn plain(boot: &Boot) -> Result<Deps, StartError> {
    let dynamo = boot.dynamo();
    let catalog = Arc::new(Catalog::new(boot.table(Setting::TableCatalog, &dynamo)?));
    let keys = KmsKeys::new(&boot.aws, boot.settings.need(Setting::VaultKeyId)?);
    let vault =
        VaultStore::new(boot.table(Setting::TableVault, &dynamo)?, Vault::new(Arc::new(keys)));
    let egress = egress(boot);
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
        tools: Arc::new(ActionTools::none()),
        tokens: Tokens::default(),
        egress,
    })
}
