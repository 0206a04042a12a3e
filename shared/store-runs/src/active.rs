//! The marks of runs that are not finished: what a sweeper looks through.

use countersign_run::{Head, RunId};
use countersign_store_kit::{Key, Query, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
        let begin: Cursor = self.table.get(&Cursor::key()).await?.unwrap_or_default();
        let (mut all, mut at, mut turns) = (Vec::new(), begin.clone(), 0);
        // One partition more than there are: the first one may have been entered in its middle.
        while turns <= keys::SHARDS && all.len() < most {
            let query = Query::partition(&keys::active_shard(at.shard));
            let page = self.table.query(query.after(at.after.as_deref())).await?;
            let page = page.decode::<Active>(self.table.name())?;
            all.extend(page.items);
            turns += u8::from(page.next.is_none());
            at = at.behind(page.next);
        }
        all.sort_unstable_by(|one, other| one.run.cmp(&other.run));
        all.dedup();
        if at != begin {
            self.table.write(Write::put(&Cursor::key(), &at)?).await?;
        }
        Ok(all)
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
