//! All rows of a preview, page by page.

use askama::Template;

use super::STYLE;
use crate::error::LetterError;
use crate::preview::Preview;
use crate::text::{Shown, fingerprint};

/// Rows on one page.
pub const ROWS_PER_PAGE: u64 = 100;

/// What the rows of a page are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// All rows that are signed.
    Rows,
    /// Those of them that the request itself keeps.
    KeptRows,
    /// What steps could not read, a row each.
    Warnings {
        /// How many there are, listed or not.
        count: u64,
    },
}

/// One page of all rows.
#[derive(Debug, Clone)]
pub struct RowsPage {
    /// What it is about, in one line.
    pub title: Shown,
    /// The rows of this page.
    pub preview: Preview,
    /// What they are.
    pub listed: Listed,
    /// The address of the rows, without its query.
    pub rows_url: String,
    /// Where the API has all of it: a path.
    pub whole_at: String,
    /// The address of the decision page.
    pub back_url: String,
    /// The digest that covers all rows.
    pub digest: String,
}

#[derive(Template)]
#[template(path = "page/rows.html")]
struct Html<'a> {
    style: &'static str,
    page: &'a RowsPage,
}

impl RowsPage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(Html { style: STYLE, page: self }.render()?)
    }

    /// What stands above the rows.
    fn heading(&self) -> String {
        let total = self.preview.total;
        match self.listed {
            Listed::Rows => format!("All {total} rows"),
            Listed::KeptRows => format!("{total} rows, the ones that are kept here"),
            Listed::Warnings { count } if count > total => {
                format!("{total} of {count} warnings; the others are not listed")
            }
            Listed::Warnings { .. } => format!("All {total} warnings"),
        }
    }

    fn noun(&self) -> &'static str {
        match self.listed {
            Listed::Rows | Listed::KeptRows => "rows",
            Listed::Warnings { .. } => "warnings",
        }
    }

    fn caption(&self) -> String {
        let Preview { first, total, .. } = self.preview;
        let (last, noun) = (self.preview.last(), self.noun());
        match self.listed {
            Listed::Rows | Listed::KeptRows => {
                format!("Rows {first} to {last} of {total}, in the order that is signed")
            }
            Listed::Warnings { .. } => format!("{first} to {last} of {total} {noun}"),
        }
    }

    /// Whether something of the rows on this page is left out.
    fn is_cut(&self) -> bool {
        self.preview.is_cut()
    }

    fn number(&self) -> u64 {
        (self.preview.first - 1) / ROWS_PER_PAGE + 1
    }

    fn pages(&self) -> u64 {
        self.preview.total.div_ceil(ROWS_PER_PAGE).max(1)
    }

    fn fingerprint(&self) -> Vec<String> {
        fingerprint(&self.digest)
    }
}
