//! What led to a run, by its line in the ledger.

use countersign_actions_detect::Origins;
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_run::{Ancestry, Head, RunId};
use countersign_store_catalog::Catalog;
use countersign_store_runs::RunStore;

/// The ledger.
pub(crate) struct Ledger {
    pub(crate) runs: RunStore,
    pub(crate) catalog: Catalog,
}

impl Ledger {
    async fn head(&self, run: &RunId) -> Result<Option<Head>, ActionError> {
        self.runs.head(run).await.map_err(|error| ActionError::from_failure(&error))
    }

    /// A run that a person has repeated has no line of its own; what a monitor had found is what is repeated.
    async fn first(&self, run: &RunId) -> Result<Option<Head>, ActionError> {
        let Some(head) = self.head(run).await? else { return Ok(None) };
        match head.repeated_of_monitor() {
            Some(first) => self.head(first).await,
            None => Ok(Some(head)),
        }
    }
}

impl Origins for Ledger {
    fn led_to<'a>(&'a self, call: &'a Call, run: &'a str) -> ActionFuture<'a, Ancestry> {
        Box::pin(async move {
            let Ok(run) = RunId::parse(run) else { return Ok(Ancestry::default()) };
            let head = self.first(&run).await?;
            let Some(id) = head.and_then(|head| head.occurrence) else {
                return Ok(Ancestry::default());
            };
            let occurrence = self.catalog.occurrence(&call.owner, &id).await;
            let occurrence = occurrence.map_err(|error| ActionError::from_failure(&error))?;
            Ok(occurrence.map(|one| one.leads_on()).unwrap_or_default())
        })
    }
}
