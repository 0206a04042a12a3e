//! The marks of runs that are not finished: what a sweeper looks through.

use std::collections::BTreeSet;

use countersign_run::{Head, RunId};
use countersign_store_kit::{Item, Key, Query, Write, decode};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Result, RunStore, keys};

/// The mark of a run that is not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    /// The run.
    pub run: RunId,
    /// When it was asked for.
    pub started_at: Timestamp,
}

impl Active {
    pub(crate) fn starting(head: &Head) -> Self {
        Self { run: head.run.clone(), started_at: head.started_at }
    }
}

/// Where the next look through the marks begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    shard: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl Cursor {
    fn key() -> Key {
        Key::new("ACTIVE", "CURSOR")
    }

    /// The place behind a page: its next one, or the next partition.
    fn behind(&self, next: Option<String>) -> Self {
        let shard = if next.is_some() { self.shard } else { (self.shard + 1) % keys::SHARDS };
        Self { shard, after: next }
    }
}

impl RunStore {
    /// Runs that are not finished: about `most` of them, those that follow the last look's. Over several looks every run
    /// has its turn, however many there are; when there are fewer, one look sees all.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn next_active(&self, most: usize) -> Result<Vec<Active>> {
        let begin = self.table.get::<Value>(&Cursor::key()).await?;
        // An unreadable place is as good as the first one.
        let begin: Cursor =
            begin.and_then(|at| serde_json::from_value(at).ok()).unwrap_or_default();
        let (mut all, mut at, mut turns) = (Vec::new(), begin.clone(), 0);
        // One partition more than there are: the first one may have been entered in its middle.
        while turns <= keys::SHARDS && all.len() < most {
            let query = Query::partition(&keys::active_shard(at.shard));
            let page = self.table.query(query.after(at.after.as_deref())).await?;
            all.extend(page.items.into_iter().filter_map(|item| self.mark(item)));
            turns += u8::from(page.next.is_none());
            at = at.behind(page.next);
        }
        let mut seen = BTreeSet::new();
        all.retain(|mark| seen.insert(mark.run.clone()));
        // Where one look sees all, the next begins a partition further: whoever is last today is not last for ever.
        self.table.write(Write::put(&Cursor::key(), &at)?).await?;
        Ok(all)
    }

    /// One mark that does not read must not keep the others.
    fn mark(&self, item: Item) -> Option<Active> {
        decode(self.table.name(), item)
            .inspect_err(|error| tracing::error!(%error, "the mark of a run does not read"))
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_the_last_partition_comes_the_first() {
        let last = Cursor { shard: keys::SHARDS - 1, after: Some("x".to_owned()) };
        assert_eq!(last.behind(None), Cursor::default());
        let within = last.behind(Some("y".to_owned()));
        assert_eq!(within, Cursor { shard: keys::SHARDS - 1, after: Some("y".to_owned()) });
    }
}
