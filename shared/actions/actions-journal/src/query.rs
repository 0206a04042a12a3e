//! `query_journal` (F-066, F-223).

use std::sync::Arc;

use countersign_journal::{Filter, search};
use countersign_registry::action::{Action, ActionError, Call};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::Journal;

/// Searches the journal of the agent that asks.
pub(crate) struct QueryJournal {
    pub(crate) journal: Arc<dyn Journal>,
}

impl Action for QueryJournal {
    fn name(&self) -> &'static str {
        "query_journal"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move {
            let mut arguments = call.params.clone();
            arguments.extend(call.inputs.clone());
            let filter =
                Filter::read(&arguments).map_err(|error| ActionError::from_failure(&error))?;
            let found = search(&*self.journal, &call.owner, &call.info.profile_id, &filter).await;
            found.map(|found| found.to_output()).map_err(|error| ActionError::from_failure(&error))
        })
    }
}
