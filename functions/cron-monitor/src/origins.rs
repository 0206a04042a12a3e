//! What led to a run, by its line in the ledger.

use countersign_actions_detect::Origins;
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_run::RunId;
use countersign_store_catalog::Catalog;
use countersign_store_runs::RunStore;

/// The ledger.
pub(crate) struct Ledger {
    pub(crate) runs: RunStore,
    pub(crate) catalog: Catalog,
}

impl Origins for Ledger {
    fn led_to<'a>(&'a self, call: &'a Call, run: &'a str) -> ActionFuture<'a, Vec<String>> {
        Box::pin(async move {
            let Ok(run) = RunId::parse(run) else { return Ok(Vec::new()) };
            let head = self.runs.head(&run).await;
            let head = head.map_err(|error| ActionError::from_failure(&error))?;
            let Some(head) = head else { return Ok(Vec::new()) };
            let Some(id) = head.occurrence else {
                // Repeated by a person: what the monitor has found is the same.
                return Ok(head
                    .from_monitor
                    .map(|from| from.monitor.to_string())
                    .into_iter()
                    .collect());
            };
            let occurrence = self.catalog.occurrence(&call.owner, &id).await;
            let occurrence = occurrence.map_err(|error| ActionError::from_failure(&error))?;
            Ok(occurrence.map(|one| one.leads_on()).unwrap_or_default())
        })
    }
}
