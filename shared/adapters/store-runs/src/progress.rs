//! How far a run is.

use std::time::Duration;

use countersign_identity::UserId;
use countersign_run::{Draft, Event, Head, RunId};
use futures::future::try_join;

use crate::{Result, RunStore};

/// What a look at a run has read.
#[derive(Debug, Clone)]
pub struct Progress {
    /// Its head.
    pub head: Head,
    /// Everything that happened, oldest first.
    pub events: Vec<Event>,
    /// What its models are writing; nothing once it is over.
    pub drafts: Vec<Draft>,
}

/// How long is waited between two looks, at first and at last.
const SHORTEST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How often somebody looks who waits for something to happen: the longer nothing does, the more seldom.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pause: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { pause: SHORTEST_PAUSE }
    }
}

impl Pace {
    /// The pause before the next look at a run with so many events: of a long run, each look reads more.
    pub fn pause(&mut self, events: usize) -> Duration {
        let pauses = u32::try_from(1 + events / 1_000).unwrap_or(u32::MAX);
        let pause = self.pause.saturating_mul(pauses);
        self.pause = (self.pause * 3 / 2).min(LONGEST_PAUSE);
        pause
    }
}

impl RunStore {
    /// How far a run of this owner is: three requests. None when it is not there, or somebody else's.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn progress(&self, owner: &UserId, run: &RunId) -> Result<Option<Progress>> {
        let Some(head) = self.owned_head(owner, run).await? else { return Ok(None) };
        let is_over = head.finished_at.is_some();
        let drafts = async { if is_over { Ok(Vec::new()) } else { self.drafts(run).await } };
        let (events, drafts) = try_join(self.events(run), drafts).await?;
        Ok(Some(Progress { head, events, drafts }))
    }
}
