//! `query_journal` (F-066, F-223).

use std::sync::Arc;

use countersign_journal::{Filter, search};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::query_journal as declared;
use countersign_registry::shape::Formed;
use serde_json::{Map, Value};

use crate::Journal;

/// Searches the journal of the agent that asks.
pub(crate) struct QueryJournal {
    pub(crate) journal: Arc<dyn Journal>,
}

impl Perform for QueryJournal {
    type Action = declared::QueryJournal;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Formed<declared::Output>, ActionError> {
        let filter = Filter::read(&arguments(inputs, &params))
            .map_err(|error| ActionError::from_failure(&error))?;
        let found = search(&*self.journal, &call.owner, &call.info.profile_id, &filter).await;
        let found = found.map_err(|error| ActionError::from_failure(&error))?;
        Ok(found.to_output().into())
    }
}

/// The same words as in a request to the API, which reads its filter from them.
fn arguments(inputs: declared::Inputs, params: &declared::Params) -> Map<String, Value> {
    let texts = [
        ("query", inputs.query),
        ("date_from", inputs.date_from),
        ("date_to", inputs.date_to),
        ("entity_name", inputs.entity_name),
        ("status", inputs.status),
    ];
    let given = texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
    given.chain([("limit".to_owned(), params.limit.into())]).collect()
}
