//! What requests to the search provider take of a person's day.

use countersign_registry::action::Call;
use countersign_run::Quota;
use countersign_store_runs::{Counted, RunStore, Use};
use futures::future::BoxFuture;

use crate::error::WebError;

/// How many requests to the search provider a person's runs and monitors may make.
pub trait SearchQuota: Send + Sync {
    /// Takes so many out of the day of whoever the call is for.
    fn take<'a>(&'a self, call: &'a Call, requests: u64) -> BoxFuture<'a, Result<(), WebError>>;
}

/// The quota of the deployment, counted with the runs.
pub struct DailySearches {
    /// Where it is counted.
    pub runs: RunStore,
    /// How many.
    pub quota: Quota,
}

impl SearchQuota for DailySearches {
    /// A call that is tried again asks the provider again, so it counts again.
    fn take<'a>(&'a self, call: &'a Call, requests: u64) -> BoxFuture<'a, Result<(), WebError>> {
        Box::pin(async move {
            let of = Use { who: &call.info.invoked_by, amount: requests, known_by: None };
            match self.runs.count(self.quota, of, call.now).await? {
                Counted::Yes => Ok(()),
                Counted::Exceeded(exceeded) => Err(exceeded.into()),
            }
        })
    }
}

/// Whose day the requests of a search are taken out of.
#[derive(Clone, Copy)]
pub struct Meter<'a> {
    pub(crate) quota: &'a dyn SearchQuota,
    pub(crate) call: &'a Call,
}

impl Meter<'_> {
    /// Takes so many requests, before they are made.
    ///
    /// # Errors
    /// [`WebError::Quota`] when they do not fit into the day; [`WebError::Store`] when they cannot be counted.
    pub async fn take(&self, requests: u64) -> Result<(), WebError> {
        self.quota.take(self.call, requests).await
    }
}
