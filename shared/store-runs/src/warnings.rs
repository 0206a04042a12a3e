//! What the steps of a run could not read, in sentences.

use countersign_run::{Head, StepWarnings, warning_sentences};

use crate::{Result, RunStore};

impl RunStore {
    /// The warnings of a run so far with at most `limit` sentences in all, made from the outputs of the steps that warned:
    /// one request and one per output in the bucket, and none when there are no warnings.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table or bucket does not answer.
    pub async fn warnings(&self, head: &Head, limit: usize) -> Result<Vec<StepWarnings>> {
        let steps: Vec<&str> = head.warnings.iter().map(|known| known.step.as_str()).collect();
        let outcomes = self.outcomes(&head.run, &steps, &steps).await?;
        let mut left = limit;
        let written = |known: &StepWarnings| {
            let outcome = outcomes.get(&known.step);
            let first = outcome.map(|outcome| warning_sentences(&outcome.output, left));
            let first = first.unwrap_or_default();
            left -= first.len();
            StepWarnings { first, ..known.clone() }
        };
        Ok(head.warnings.iter().map(written).collect())
    }
}
