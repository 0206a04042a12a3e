//! What models are writing.

use countersign_run::{Draft, RunId};
use countersign_store_kit::Write;
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

/// More than the steps of a run that can have a model at once.
const MAX_DRAFTS: usize = 1_000;
/// How long a draft is kept that nobody removes, seconds: an invocation may die while its model writes.
const KEPT: i64 = 3_600;

impl RunStore {
    /// Writes what the model of a step has written so far, in place of what was there.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn put_draft(&self, run: &RunId, draft: &Draft) -> Result<()> {
        let row = Row { draft: draft.clone() };
        let put = Write::put(&keys::draft(run, &draft.step), &row)?;
        self.table.write(put.expires_at(draft.at.as_second() + KEPT)).await
    }

    /// Removes what the model of a step has written; its answer takes its place, or nothing does.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn remove_draft(&self, run: &RunId, step: &str) -> Result<()> {
        self.table.write(Write::delete(&keys::draft(run, step))).await
    }

    /// What the models of a run are writing, by step.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn drafts(&self, run: &RunId) -> Result<Vec<Draft>> {
        let query = keys::drafts(run).consistent();
        self.table.query_all_as(query, MAX_DRAFTS, |row: Row| row.draft).await
    }
}

/// A draft as it is stored, apart from its keys.
#[derive(Serialize, Deserialize)]
struct Row {
    draft: Draft,
}
