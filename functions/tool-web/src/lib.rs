//! `crawl_url` and `search_web` as a Lambda.

use countersign_actions_web::{
    Deps, SearchConfig, SearchKey, SearchSetting, SearchSetupError, actions,
};
use countersign_failure::chain;
use countersign_http_out::{Egress, Policy};
use countersign_lambda_entry::{Boot, Setting, Settings, StartError, runtime_api};
use countersign_step_entry::Context;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used, or says why the TLS stack cannot start.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let policy = Policy { allow_loopback: boot.settings.allow_loopback() };
    let egress = Egress::new(policy).map_err(|error| StartError::Runtime(chain(&error)))?;
    // Where loopback is open, Lambda's own address on it stays closed.
    let egress = runtime_api().iter().fold(egress, |egress, own| egress.never(own));
    let search = config(&boot.settings).provider(egress.clone()).map_err(unusable)?;
    Context::new(boot, actions(Deps { egress, search }))
}

fn config(settings: &Settings) -> SearchConfig {
    let text = |setting| settings.get(setting).map(str::to_owned);
    SearchConfig {
        provider: text(Setting::SearchProvider),
        url: text(Setting::SearchUrl),
        key: text(Setting::SearchKey).map(SearchKey::new),
    }
}

fn unusable(error: SearchSetupError) -> StartError {
    let setting = match error.setting {
        SearchSetting::Provider => Setting::SearchProvider,
        SearchSetting::Url => Setting::SearchUrl,
        SearchSetting::Key => Setting::SearchKey,
    };
    StartError::Invalid { name: setting.name(), reason: error.reason }
}
