//! To-dos of a person (F-075…F-079): what they hold, how they change, which ones are asked for, and their list as org-mode
//! text.
//!
//! A to-do belongs to one list, which is named like an org file and is a text that can be read ([`org`]). Nothing here reads
//! a clock or a store.

mod change;
mod filter;
mod org;
mod todo;
mod words;

pub use change::{Change, Changed};
pub use filter::{Filter, Search, Wanted};
pub use org::org;
pub use todo::{Note, Priority, State, Todo, TodoId};
pub use words::{DEFAULT_LIST, Day, ListName, Tag};

/// The longest title, in characters.
pub const MAX_TITLE: usize = 300;

/// The longest body or note, in characters.
pub const MAX_TEXT: usize = 10_000;

/// The most tags of one to-do.
pub const MAX_TAGS: usize = 20;

/// The most notes of one to-do; the oldest go when there are more.
pub const MAX_NOTES: usize = 20;

/// The most bytes that the notes of one to-do have together; the oldest go when they have more.
pub const MAX_NOTED: usize = 100_000;
