//! What a child says: lines of one letter and a JSON document. The last is [`DONE`] or [`ERROR`]; without it nothing counts.

use std::io::{self, Write};
use std::sync::Arc;

use countersign_connector::{Cell, Records};
use countersign_formats::Extraction;
use countersign_pages::{FeedItems, Link, Page, PageRecords};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use url::Url;

/// The fields of the records that follow.
pub(crate) const NAMES: u8 = b'n';
/// A text that the records which follow have in a column where they have nothing of their own.
pub(crate) const SHARED: u8 = b's';
/// A record: values in the order of the fields, or an object.
pub(crate) const RECORD: u8 = b'r';
/// A warning of a file.
pub(crate) const WARNING: u8 = b'w';
/// What is to be said besides records.
pub(crate) const REST: u8 = b't';
/// Why there is nothing.
pub(crate) const ERROR: u8 = b'e';
/// That was all.
pub(crate) const DONE: u8 = b'd';

/// A column and the text that its records share from here on.
pub(crate) type Share = (usize, Option<String>);

/// What a scraped page has besides its records.
#[derive(Serialize, Deserialize)]
pub(crate) struct RestOfRecords {
    pub(crate) more: bool,
    pub(crate) warnings: Vec<String>,
    pub(crate) next: Option<Url>,
}

/// What a page has besides its content.
#[derive(Serialize, Deserialize)]
pub(crate) struct RestOfPage {
    pub(crate) title: String,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) links: Vec<Link>,
}

/// Writes what was found.
pub(crate) struct Lines<W>(pub(crate) W);

impl<W: Write> Lines<W> {
    pub(crate) fn line(&mut self, tag: u8, said: &impl Serialize) -> io::Result<()> {
        self.0.write_all(&[tag])?;
        serde_json::to_writer(&mut self.0, said)?;
        self.0.write_all(b"\n")
    }

    pub(crate) fn done(&mut self) -> io::Result<()> {
        self.0.write_all(&[DONE, b'\n'])?;
        self.0.flush()
    }

    pub(crate) fn extraction(&mut self, found: &Extraction) -> io::Result<()> {
        match &found.records {
            Records::Whole(all) => all.iter().try_for_each(|one| self.line(RECORD, one))?,
            Records::Rows { names, cells } => {
                self.line(NAMES, names)?;
                let mut shared = vec![None; names.len()];
                for row in cells.chunks(names.len().max(1)) {
                    self.row(row, &mut shared)?;
                }
            }
        }
        found.warnings.iter().try_for_each(|warning| self.line(WARNING, warning))?;
        self.line(REST, &found.more_warnings)
    }

    /// A text that many records have is written once.
    fn row(&mut self, row: &[Cell], shared: &mut [Option<Arc<str>>]) -> io::Result<()> {
        for (column, (cell, known)) in row.iter().zip(shared.iter_mut()).enumerate() {
            let text = match cell {
                Cell::Shared(text) => Some(text),
                Cell::Null => None,
                _ => continue,
            };
            let is_known = match (&known, text) {
                (Some(known), Some(text)) => Arc::ptr_eq(known, text),
                (None, None) => true,
                _ => false,
            };
            if !is_known {
                *known = text.cloned();
                self.line(SHARED, &(column, text.map(AsRef::<str>::as_ref)))?;
            }
        }
        let row: Vec<Plain<'_>> = row.iter().map(Plain).collect();
        self.line(RECORD, &row)
    }

    pub(crate) fn records(&mut self, found: PageRecords) -> io::Result<()> {
        let PageRecords { records, more, warnings, next } = found;
        records.iter().try_for_each(|record| self.line(RECORD, record))?;
        self.line(REST, &RestOfRecords { more, warnings, next })
    }

    pub(crate) fn page(&mut self, page: Page) -> io::Result<()> {
        let Page { content, title, metadata, links } = page;
        self.line(RECORD, &content)?;
        self.line(REST, &RestOfPage { title, metadata, links })
    }

    pub(crate) fn items(&mut self, found: &FeedItems) -> io::Result<()> {
        found.items.iter().try_for_each(|item| self.line(RECORD, item))?;
        self.line(REST, &found.missed)
    }
}

/// A value as JSON has it; nothing where its text is shared.
struct Plain<'c>(&'c Cell);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Shared(_) => serializer.serialize_none(),
            own => own.serialize(serializer),
        }
    }
}
