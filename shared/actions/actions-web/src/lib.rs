//! `crawl_url` (F-046) and `search_web` (F-045): the open web, through the guarded way out. Both only read.

mod crawl;
mod error;
mod quota;
mod search;
mod timing;

use std::sync::Arc;

use countersign_http_out::Egress;
use countersign_reader::Readers;
use countersign_registry::action::Handler;
use countersign_robots::Robots;

pub use countersign_connector::Secret as SearchKey;
pub use error::WebError;
pub use quota::{DailySearches, Meter, SearchQuota};
pub use search::{Hit, Hits, Query, SearchConfig, SearchProvider, SearchSetting, SearchSetupError};

/// What the actions need.
#[derive(Clone)]
pub struct Deps {
    /// The way out.
    pub egress: Egress,
    /// Who reads pages.
    pub readers: Readers,
    /// Who searches; `None` where the deployment has nobody.
    pub search: Option<Arc<dyn SearchProvider>>,
    /// How much of the provider a person may use.
    pub quota: Arc<dyn SearchQuota>,
}

/// The actions of this crate.
#[must_use]
pub fn actions(deps: Deps) -> Vec<Arc<dyn Handler>> {
    let robots = Robots::new(deps.egress.clone());
    vec![
        Arc::new(crawl::CrawlUrl { egress: deps.egress, readers: deps.readers, robots }),
        Arc::new(search::SearchWeb { provider: deps.search, quota: deps.quota }),
    ]
}

#[cfg(test)]
mod tests;
