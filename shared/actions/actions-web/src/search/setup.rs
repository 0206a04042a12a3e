//! Who searches, from the deployment's settings.

use std::sync::Arc;

use countersign_connector::Secret;
use countersign_http_out::{Egress, base_address};
use url::Url;

use super::SearchProvider;
use super::searxng::Searxng;
use super::tavily::Tavily;

/// What the deployment says about searches. Its debug form does not show the key.
#[derive(Debug, Clone, Default)]
pub struct SearchConfig {
    /// `searxng`, `tavily`, or nothing.
    pub provider: Option<String>,
    /// The provider's base address; SearXNG needs one, Tavily has its own.
    pub url: Option<String>,
    /// The key; Tavily needs one.
    pub key: Option<Secret>,
}

/// Why the settings make no provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SearchSetupError {
    /// Whether it is the provider, its address or its key.
    pub setting: SearchSetting,
    /// What is wrong, without the key.
    pub reason: String,
}

/// One of the three settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchSetting {
    /// Its name.
    Provider,
    /// Its address.
    Url,
    /// Its key.
    Key,
}

impl SearchConfig {
    /// The provider, or `None` when the deployment has none.
    ///
    /// # Errors
    /// [`SearchSetupError`] when a provider is named but cannot work with these settings.
    pub fn provider(
        self,
        egress: Egress,
    ) -> Result<Option<Arc<dyn SearchProvider>>, SearchSetupError> {
        let refuse =
            |setting, reason: &str| SearchSetupError { setting, reason: reason.to_owned() };
        let base = self.url.as_deref().map(base).transpose()?;
        match self.provider.as_deref() {
            None | Some("" | "none") => Ok(None),
            Some("searxng") => {
                let missing =
                    || refuse(SearchSetting::Url, "SearXNG needs the address of its instance");
                Ok(Some(Arc::new(Searxng::new(egress, base.ok_or_else(missing)?))))
            }
            Some("tavily") => {
                let missing = || refuse(SearchSetting::Key, "Tavily needs a key");
                let key = self.key.filter(usable).ok_or_else(missing)?;
                Ok(Some(Arc::new(Tavily::new(egress, base, key)?)))
            }
            Some(other) => {
                let shown: String = other.chars().take(40).collect();
                let reason = format!("`{shown}` is not a provider: use `searxng` or `tavily`");
                Err(refuse(SearchSetting::Provider, &reason))
            }
        }
    }
}

/// A key that can stand in a header.
fn usable(key: &Secret) -> bool {
    !key.expose().is_empty() && key.expose().bytes().all(|b| (33..127).contains(&b))
}

pub(super) fn base(text: &str) -> Result<Url, SearchSetupError> {
    base_address(text).map_err(|reason| SearchSetupError { setting: SearchSetting::Url, reason })
}
