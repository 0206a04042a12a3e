//! The actions that read the open web, as a deployment has set them up; the way out that every function shares.

use std::sync::Arc;

use countersign_actions_web::{
    DailySearches, Deps, SearchConfig, SearchKey, SearchSetting, SearchSetupError, actions,
};
use countersign_http_out::{Egress, Policy};
use countersign_lambda_entry::{Boot, Setting, Settings, StartError, runtime_api};
use countersign_reader::Readers;
use countersign_registry::action::Handler;
use countersign_run::Quota;
use countersign_store_runs::RunStore;

/// The way out of this deployment.
#[must_use]
pub fn egress(boot: &Boot) -> Egress {
    let egress = Egress::new(Policy { allow_loopback: boot.settings.allow_loopback() });
    // Where loopback is open, Lambda's own address on it stays closed.
    runtime_api().iter().fold(egress, |egress, own| egress.never(own))
}

/// `crawl_url` and `search_web`.
///
/// # Errors
/// [`StartError`] names the setting of the search provider that cannot be used.
pub fn web_actions(
    boot: &Boot,
    egress: Egress,
    readers: Readers,
) -> Result<Vec<Arc<dyn Handler>>, StartError> {
    let search = config(&boot.settings).provider(egress.clone()).map_err(unusable)?;
    let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
    let quota = Quota::searches(boot.number(Setting::SearchesPerDay)?);
    let quota = Arc::new(DailySearches { runs, quota });
    Ok(actions(Deps { egress, readers, search, quota }))
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
    StartError::invalid(setting, error.reason)
}
