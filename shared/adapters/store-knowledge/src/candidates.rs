//! Which entities may have some words in their names: their words are filed, and looked up by how they begin.

use std::collections::BTreeSet;

use countersign_knowledge::EntityId;
use countersign_knowledge::graph::Scope;
use countersign_store_kit::{Query, decode};

use crate::items::Pointer;
use crate::{KnowledgeStore, Result, keys};

/// So few that they are looked at themselves instead of reading what is filed under further words.
const FEW: usize = 100;

/// So many are read of a word before the next word has its turn.
const AT_ONCE: usize = 250;

/// Entities that may have some words in their names, and whether there may be more.
pub(crate) struct Candidates {
    pub(crate) ids: BTreeSet<EntityId>,
    pub(crate) is_cut: bool,
}

/// What is filed under the words that begin like one.
struct Filed {
    query: Query,
    ids: BTreeSet<EntityId>,
    is_whole: bool,
}

impl KnowledgeStore {
    /// The words are read by turns, until one of them is read to its end and leaves few, or so many pointers are read: of those that
    /// are read to their end, the entities that have all. `most` is how many may still be read.
    pub(crate) async fn candidates(
        &self,
        scope: &Scope,
        words: &[String],
        most: &mut usize,
    ) -> Result<Candidates> {
        let filed = |word: &String| Filed {
            query: Query::partition(&keys::words(scope)).prefix(word),
            ids: BTreeSet::new(),
            is_whole: false,
        };
        let mut all: Vec<Filed> = words.iter().map(filed).collect();
        while *most > 0 && all.iter().any(|one| !one.is_whole) {
            for one in all.iter_mut().filter(|one| !one.is_whole) {
                self.read_on(one, most).await?;
            }
            if of_all(&all).is_some_and(|ids| ids.len() <= FEW) {
                break;
            }
        }
        let whole = of_all(&all);
        let is_cut = whole.is_none() && !words.is_empty();
        let parts = || all.iter().flat_map(|one| one.ids.iter().cloned()).collect();
        Ok(Candidates { ids: whole.unwrap_or_else(parts), is_cut })
    }

    /// Reads the next pointers of a word, as far as there is room for them.
    async fn read_on(&self, filed: &mut Filed, most: &mut usize) -> Result<()> {
        let room = AT_ONCE.min(*most);
        let Some(limit) = i32::try_from(room).ok().filter(|limit| *limit > 0) else {
            return Ok(());
        };
        let page = self.table.query(filed.query.clone().limit(limit)).await?;
        *most = most.saturating_sub(page.items.len());
        for item in page.items {
            let Pointer { id } = decode(self.table.name(), item)?;
            filed.ids.insert(id);
        }
        filed.is_whole = page.next.is_none();
        filed.query = filed.query.clone().after(page.next.as_deref());
        Ok(())
    }
}

/// The entities that have all of the words that are read to their end; none while there is no such word.
fn of_all(all: &[Filed]) -> Option<BTreeSet<EntityId>> {
    let mut whole = all.iter().filter(|one| one.is_whole);
    let first = whole.next()?.ids.clone();
    Some(whole.fold(first, |ids, one| ids.intersection(&one.ids).cloned().collect()))
}
