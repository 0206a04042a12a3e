//! `call_connector` for endpoints that have an effect, as a Lambda. Nothing is called here without a signature.

use std::sync::Arc;

use countersign_actions_connect::{ActionTools, Deps, Mode, Tokens, actions};
use countersign_failure::chain;
use countersign_http_out::{Egress, Policy};
use countersign_lambda_entry::{Boot, Setting, StartError, runtime_api};
use countersign_outbox::EventBus;
use countersign_step_entry::Context;
use countersign_store_approvals::Approvals;
use countersign_store_catalog::Catalog;
use countersign_store_egress::EgressStore;
use countersign_store_uploads::S3Files;
use countersign_store_vault::VaultStore;
use countersign_vault::{KmsKeys, Vault};

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing, or says why the TLS stack cannot start.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let dynamo = boot.dynamo();
    let catalog = Arc::new(Catalog::new(boot.table(Setting::TableCatalog, &dynamo)?));
    let keys = KmsKeys::new(&boot.aws, boot.settings.need(Setting::VaultKeyId)?);
    let vault =
        VaultStore::new(boot.table(Setting::TableVault, &dynamo)?, Vault::new(Arc::new(keys)));
    let policy = Policy { allow_loopback: boot.settings.allow_loopback() };
    let egress = Egress::new(policy).map_err(|error| StartError::Runtime(chain(&error)))?;
    // Where loopback is open, Lambda's own address on it stays closed.
    let egress = runtime_api().iter().fold(egress, |egress, own| egress.never(own));
    let shared = Arc::new(EgressStore::new(boot.table(Setting::TableEgress, &dynamo)?));
    let bus = EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?);
    let deps = Deps {
        connectors: catalog.clone(),
        health: catalog,
        credentials: Arc::new(vault),
        files: Arc::new(S3Files::new(boot.blobs()?)),
        standing: shared.clone(),
        answers: shared,
        announcer: Arc::new(bus),
        egress,
        tokens: Tokens::default(),
        tools: Arc::new(ActionTools::none()),
    };
    let approvals = Approvals::new(boot.table(Setting::TableApprovals, &dynamo)?);
    Ok(Context::new(boot, actions(deps, Mode::Write))?.with_signatures(Arc::new(approvals)))
}
