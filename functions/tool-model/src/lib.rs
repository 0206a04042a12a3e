//! The actions that a model carries out, as a Lambda.

mod shown;

use std::sync::Arc;

use countersign_actions_model::{Deps, StoredBudget, TokenLimits, actions};
use countersign_deployment_secrets::SecretsManager;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_model::{ModelConfig, ModelSetting, ModelSetupError};
use countersign_push::Push;
use countersign_search_entry::egress;
use countersign_step_entry::Context;
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;

use self::shown::Shown;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let text = |setting| boot.settings.get(setting).map(str::to_owned);
    let config = ModelConfig {
        provider: text(Setting::ModelProvider),
        url: text(Setting::ModelUrl),
        name: text(Setting::ModelName),
    };
    let secrets = SecretsManager::models(&boot.aws, boot.settings.need(Setting::Stack)?);
    let models = config.models(egress(boot), Arc::new(secrets), &boot.aws).map_err(unusable)?;
    let lists = Arc::new(Directory::new(boot.table(Setting::TableDirectory)?));
    let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
    let limits = TokenLimits {
        per_run: boot.number(Setting::ModelTokensPerRun)?,
        per_day: boot.number(Setting::ModelTokensPerDay)?,
    };
    let drafts = Arc::new(Shown { runs: runs.clone(), push: Push::new(boot)? });
    let budget = Arc::new(StoredBudget { runs, limits });
    Context::new(boot, actions(&Deps { models, lists, budget, drafts }))
}

fn unusable(error: ModelSetupError) -> StartError {
    let setting = match error.setting {
        ModelSetting::Provider => Setting::ModelProvider,
        ModelSetting::Url => Setting::ModelUrl,
        ModelSetting::Name => Setting::ModelName,
    };
    StartError::invalid(setting, error.reason)
}
