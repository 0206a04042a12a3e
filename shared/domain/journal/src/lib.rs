//! The journal of an agent (F-221…F-228, F-404).
//!
//! - [`Entry`]: one account of one run, or of one step that wrote for itself.
//! - [`account`]: the structured summary of a deterministic run, made from what its steps reported. No model.
//! - [`Filter`] and [`search`]: by dates, words, entity and status.
//! - [`JournalRead`], [`JournalWrite`]: what a store must offer, and the [`Access`] patterns it must be fast at.

mod account;
mod entry;
mod error;
mod filter;
mod store;

pub use account::{RunAccount, account};
pub use entry::{
    DetailLevel, Entry, EntryId, JournalConfig, Mention, Origin, Output, StepNote, TaskStatus,
};
pub use error::JournalError;
pub use filter::Filter;
pub use store::{Access, Found, JournalPage, JournalRead, JournalWrite, search};
