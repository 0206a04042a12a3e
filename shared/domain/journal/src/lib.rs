//! The journal of an agent (F-221…F-228, F-404).
//!
//! - [`Entry`]: one account of one run, or of one step that wrote for itself.
//! - [`account`]: the structured summary of a deterministic run, made from what its steps reported. No model.
//! - [`waiting`]: the entry of a run that waits for people.
//! - [`look`]: the entry of a monitor's look that has something to say and no run.
//! - [`Entities`]: who and what a run is about, and which of them are new.
//! - [`Filter`] and [`search`]: by dates, words, entity and status.
//! - [`JournalRead`], [`JournalWrite`]: what a store must offer, and the [`Access`] patterns it must be fast at.

mod account;
mod bounds;
mod entities;
mod entry;
mod error;
mod filter;
mod look;
mod members;
mod store;
mod waiting;

pub use account::{RunAccount, account};
pub use entities::{Entities, GRAPH, TELLING, written_to_graph};
pub use entry::{
    DetailLevel, Entry, EntryId, JournalConfig, Mention, Origin, Output, StepNote, TaskStatus,
};
pub use error::JournalError;
pub use filter::Filter;
pub use look::{Look, look};
pub use store::{Access, Found, JournalPage, JournalRead, JournalWrite, search};
pub use waiting::{Waiting, waiting};
