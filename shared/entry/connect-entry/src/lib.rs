//! What every function that calls connectors is made of: catalogue, vault, uploads, shared budgets, the way out.

mod acting;
mod ahead;
mod describing;

use std::sync::Arc;
use std::time::Duration;

use countersign_actions_connect::{ActionTools, Deps, Readers, Robots, Tokens};
use countersign_deployment_secrets::SecretsManager;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_outbox::EventBus;
use countersign_resilience::STAYS_OPEN;
use countersign_search_entry::{egress, web_actions};
use countersign_store_catalog::Catalog;
use countersign_store_egress::EgressStore;
use countersign_store_uploads::S3Files;
use countersign_store_vault::VaultStore;
use countersign_vault::{KmsKeys, Vault};

use self::acting::Acting;
use self::ahead::{Ahead, Stores};
pub use self::describing::Describing;

/// Everything a call that reads needs, made once. Connectors may stand for the actions that read the open web.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used.
pub fn reading(boot: &Boot) -> Result<Deps, StartError> {
    let deps = plain(boot, &stores(boot)?)?;
    let tools = ActionTools::new(web_actions(boot, deps.egress.clone(), deps.readers.clone())?);
    let secrets = SecretsManager::connectors(&boot.aws, boot.settings.need(Setting::Stack)?);
    Ok(Deps { tools: Arc::new(tools), deployment: Some(Arc::new(secrets)), ..deps })
}

/// Everything a call with an effect needs, made once, and what says what it would send. None of these stands for an action
/// of this system.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used.
pub fn writing(boot: &Boot) -> Result<(Deps, Describing), StartError> {
    let stores = stores(boot)?;
    let ahead = Arc::new(Ahead::default());
    let acting = Arc::new(Acting::new(stores.clone(), Arc::clone(&ahead)));
    let deps = plain(boot, &stores)?;
    let deps =
        Deps { connectors: acting.clone(), credentials: acting.clone(), limits: acting, ..deps };
    Ok((deps, Describing::new(stores, ahead)))
}

fn stores(boot: &Boot) -> Result<Stores, StartError> {
    let keys = KmsKeys::new(&boot.aws, boot.settings.need(Setting::VaultKeyId)?);
    let vault = boot.table(Setting::TableVault)?;
    Ok(Stores {
        catalog: Arc::new(Catalog::new(boot.table(Setting::TableCatalog)?)),
        vault: Arc::new(VaultStore::new(vault, Vault::new(Arc::new(keys)))),
        egress: Arc::new(EgressStore::new(boot.table(Setting::TableEgress)?)),
        across: boot.table(Setting::TableCatalog)?,
    })
}

/// How long a source that fails is left alone.
fn rests_for(boot: &Boot) -> Result<Duration, StartError> {
    Ok(match boot.number(Setting::BreakerSeconds)? {
        0 => STAYS_OPEN,
        seconds => Duration::from_secs(seconds),
    })
}

fn plain(boot: &Boot, stores: &Stores) -> Result<Deps, StartError> {
    let egress = egress(boot);
    Ok(Deps {
        connectors: stores.catalog.clone(),
        health: stores.catalog.clone(),
        credentials: stores.vault.clone(),
        deployment: None,
        files: Arc::new(S3Files::new(boot.blobs()?)),
        limits: stores.egress.clone(),
        rests_for: rests_for(boot)?,
        answers: stores.egress.clone(),
        announcer: Arc::new(EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?)),
        readers: Readers::default(),
        robots: Robots::new(egress.clone()),
        tools: Arc::new(ActionTools::none()),
        tokens: Tokens::default(),
        egress,
    })
}
