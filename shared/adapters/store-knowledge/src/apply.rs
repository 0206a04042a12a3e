//! Applying a plan, in parts: what is written is noted, so that the next attempt goes on there.

use std::collections::{BTreeSet, HashMap};

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::{Applied, GoesOn, Scope};
use countersign_knowledge::{DiscoveryStatus, DiscoveryType, Entity};
use countersign_store_kit::{Item, Key, StoreError, Write};
use sha2::{Digest as _, Sha256};

use crate::writes::{Joined, Made};
use crate::{KnowledgeStore, Result};

/// A plan of at most so many items is written as one.
const WHOLE: usize = 500;

/// So many items of a kind are one part: written in a few seconds.
pub(crate) const PART: usize = 100;

impl KnowledgeStore {
    /// Writes what is left of a plan, as long as there is time, and at least one part. Of one that contradicts the graph, what it
    /// has written is told: the plan that takes its place finds that in the graph, and would not say that it is new.
    pub(crate) async fn apply_plan(
        &self,
        scope: &Scope,
        call: &str,
        changes: &Changes,
        goes_on: GoesOn<'_>,
    ) -> Result<Applied> {
        let applied = self.apply_parts(scope, call, changes, goes_on).await?;
        if applied == Applied::Contradicted {
            self.tell_written(scope, changes).await?;
        }
        Ok(applied)
    }

    /// The same, where a plan that contradicts the graph is discarded then: what is shown of it as pending is taken away.
    pub(crate) async fn apply_or_forget(
        &self,
        scope: &Scope,
        call: &str,
        changes: &Changes,
        goes_on: GoesOn<'_>,
    ) -> Result<Applied> {
        let applied = self.apply_plan(scope, call, changes, goes_on).await?;
        if applied == Applied::Contradicted {
            self.forget_pending(scope, changes).await?;
        }
        Ok(applied)
    }

    async fn apply_parts(
        &self,
        scope: &Scope,
        call: &str,
        changes: &Changes,
        goes_on: GoesOn<'_>,
    ) -> Result<Applied> {
        let made = made(changes);
        if changes.count() <= WHOLE {
            return self.apply_all(scope, changes, &made).await;
        }
        let plan = digest(changes)?;
        let begin = self.parts_applied(scope, call, &plan).await?;
        // Before the first of them is written: a plan that is discarded then has left nothing.
        if begin == 0 && self.is_contradicted(scope, &changes.entities, &made).await? {
            return Ok(Applied::Contradicted);
        }
        for (n, part) in changes.parts(PART).enumerate().skip(begin) {
            if n > begin && !goes_on() {
                return Ok(Applied::Partly);
            }
            match self.apply_all(scope, &part, &made).await? {
                Applied::Whole => self.note_applied(scope, call, &plan, n + 1).await?,
                other => return Ok(other),
            }
        }
        Ok(Applied::Whole)
    }

    /// Writes what is new of those entities of a plan that the graph has from it.
    async fn tell_written(&self, scope: &Scope, changes: &Changes) -> Result<()> {
        let wanted: Vec<Key> = changes.entities.iter().map(|entity| entity.key(scope)).collect();
        let stands = self.table.get_many(&wanted).await?;
        let mut written = BTreeSet::new();
        for new in &changes.entities {
            let Some(item) = stands.get(&new.key(scope)) else { continue };
            let known: Entity = self.open_as(item.clone())?;
            if known.has_taken(new) {
                written.insert(&new.id);
            }
        }
        self.write_rows(scope, &changes.news_of(&written)).await
    }

    /// Takes away what is shown as pending of a plan that is discarded: nobody writes it, and the next plan says what is new. One that
    /// stays open keeps it.
    pub(crate) async fn forget_pending(&self, scope: &Scope, changes: &Changes) -> Result<()> {
        let pending = self.shown_as(scope, changes, DiscoveryStatus::Pending).await?;
        self.write_all(pending.iter().map(Write::delete).collect()).await
    }

    /// Whether one of these would be joined with somebody else who has its id by now.
    async fn is_contradicted(
        &self,
        scope: &Scope,
        entities: &[Entity],
        made: &Made<'_>,
    ) -> Result<bool> {
        let wanted: Vec<Key> = entities.iter().map(|entity| entity.key(scope)).collect();
        let stands = self.table.get_many(&wanted).await?;
        self.contradicts(scope, entities, made, &stands)
    }

    /// The same, of what was read.
    pub(crate) fn contradicts<T: Joined>(
        &self,
        scope: &Scope,
        news: &[T],
        made: &Made<'_>,
        stands: &HashMap<Key, Item>,
    ) -> Result<bool> {
        for new in news.iter().filter(|new| new.is_made(made)) {
            let Some(item) = stands.get(&new.key(scope)) else { continue };
            let known: T = self.open_as(item.clone())?;
            if known.contradicts(new) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn made(changes: &Changes) -> Made<'_> {
    let new = changes.discoveries.iter();
    let new = new.filter(|found| found.discovery_type == DiscoveryType::NewEntity);
    new.map(|found| &found.entity_id).collect()
}

/// What tells one plan of a call from another.
fn digest(changes: &Changes) -> Result<String> {
    let json = serde_json::to_vec(changes).map_err(StoreError::encode)?;
    Ok(hex::encode(Sha256::digest(json)))
}
