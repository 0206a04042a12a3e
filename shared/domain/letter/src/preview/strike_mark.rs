//! Marks of rows that can be struck out.

use crate::text::Shown;

/// That a row can be struck out, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrikeMark {
    /// The row's number, from 1.
    pub number: u64,
    /// Who struck it out, and when; none while it stays.
    pub by: Option<Shown>,
    /// The id of the form that strikes marked rows out; none when the reader only looks.
    pub form: Option<String>,
}

impl StrikeMark {
    /// Whether the row was struck out.
    #[must_use]
    pub fn is_struck(&self) -> bool {
        self.by.is_some()
    }
}
