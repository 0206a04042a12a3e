//! The actions of the journal: `write_journal_entry` (F-065) and `query_journal` (F-066). Every agent has them (F-222).

mod outcomes;
mod query;
mod write;

use std::sync::Arc;

use countersign_journal::{JournalRead, JournalWrite};
use countersign_registry::action::Handler;

pub use countersign_journal::TELLING;
pub use outcomes::{RunOutcomes, StepResult};

/// A journal that can be read and written.
pub trait Journal: JournalRead + JournalWrite {}

impl<T: JournalRead + JournalWrite> Journal for T {}

/// The actions, over a journal and what is known of the run that writes.
#[must_use]
pub fn actions(journal: Arc<dyn Journal>, outcomes: Arc<dyn RunOutcomes>) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(write::WriteJournalEntry { journal: Arc::clone(&journal), outcomes }),
        Arc::new(query::QueryJournal { journal }),
    ]
}

#[cfg(test)]
mod tests;
