//! What the steps of a run could not read, in sentences.

use std::collections::HashMap;

use countersign_run::{Head, StepWarnings};
use countersign_store_kit::decode;

use crate::records::OutcomeItem;
use crate::{Result, RunStore, keys};

impl RunStore {
    /// The warnings of a run so far with at most `limit` sentences in all: one request, and none when there are no warnings.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn warnings(&self, head: &Head, limit: usize) -> Result<Vec<StepWarnings>> {
        if head.warnings.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = head.warnings.iter().map(|known| keys::outcome(&head.run, &known.step));
        let mut kept = HashMap::new();
        for (_, item) in self.table.get_many(&wanted.collect::<Vec<_>>()).await? {
            let item: OutcomeItem = decode(self.table.name(), item)?;
            kept.insert(item.step, item.warned);
        }
        let mut left = limit;
        let mut written = |known: &StepWarnings| {
            let mut first = kept.remove(&known.step).unwrap_or_default();
            first.truncate(left);
            left -= first.len();
            StepWarnings { first, ..known.clone() }
        };
        Ok(head.warnings.iter().map(&mut written).collect())
    }
}
