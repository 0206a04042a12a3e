//! Applying a plan, in parts: what is written is noted, so that the next attempt goes on there.

use std::collections::HashMap;

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::{Applied, GoesOn, Scope};
use countersign_knowledge::{DiscoveryType, Entity};
use countersign_store_kit::{Item, Key};

use crate::writes::{Joined, Made};
use crate::{KnowledgeStore, Result};

/// A plan of at most so many items is written as one.
const WHOLE: usize = 500;

/// So many items of a kind are one part: written in a few seconds.
pub(crate) const PART: usize = 100;

impl KnowledgeStore {
    /// Writes what is left of a plan, as long as there is time, and at least one part.
    pub(crate) async fn apply_plan(
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
        let begin = self.parts_applied(scope, call).await?;
        // Before the first of them is written: a plan that is discarded then has left nothing.
        if begin == 0 && self.is_contradicted(scope, &changes.entities, &made).await? {
            return Ok(Applied::Contradicted);
        }
        for (n, part) in changes.parts(PART).enumerate().skip(begin) {
            if n > begin && !goes_on() {
                return Ok(Applied::Partly);
            }
            match self.apply_all(scope, &part, &made).await? {
                Applied::Whole => self.note_applied(scope, call, n + 1).await?,
                other => return Ok(other),
            }
        }
        Ok(Applied::Whole)
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
