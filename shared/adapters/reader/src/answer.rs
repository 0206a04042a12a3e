//! What a child says, put together again. Nothing is taken from it on trust: a line that is not as expected ends it.

use countersign_connector::{Cell, Records};
use countersign_formats::{Extraction, FormatError};
use countersign_pages::{FeedItems, Item, Missed, Page, PageError, PageRecords};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ended::Ended;
use crate::wire::{NAMES, RECORD, REST, RestOfPage, RestOfRecords, SHARED, Share, WARNING};

/// A line that is not as it must be.
#[derive(Debug)]
pub(crate) struct Garbled;

impl From<serde_json::Error> for Garbled {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// What is gathered from the lines of one answer.
pub(crate) trait Answer: Default {
    /// What comes out.
    type Found;
    /// Why nothing does.
    type Error: DeserializeOwned + From<Ended>;

    /// One line.
    fn take(&mut self, tag: u8, json: &[u8]) -> Result<(), Garbled>;

    /// All lines were there.
    fn found(self) -> Result<Self::Found, Garbled>;
}

/// Of a file.
#[derive(Default)]
pub(crate) struct OfFile {
    found: Extraction,
    shared: Vec<Option<std::sync::Arc<str>>>,
}

impl Answer for OfFile {
    type Found = Extraction;
    type Error = FormatError;

    fn take(&mut self, tag: u8, json: &[u8]) -> Result<(), Garbled> {
        match tag {
            NAMES => {
                let names: Vec<String> = serde_json::from_slice(json)?;
                self.shared = vec![None; names.len()];
                self.found.records = Records::rows(names);
            }
            SHARED => {
                let (column, text): Share = serde_json::from_slice(json)?;
                *self.shared.get_mut(column).ok_or(Garbled)? = text.map(Into::into);
            }
            RECORD => self.record(json)?,
            WARNING => self.found.warnings.push(serde_json::from_slice(json)?),
            REST => self.found.more_warnings = serde_json::from_slice(json)?,
            _ => return Err(Garbled),
        }
        Ok(())
    }

    fn found(self) -> Result<Extraction, Garbled> {
        Ok(self.found)
    }
}

impl OfFile {
    fn record(&mut self, json: &[u8]) -> Result<(), Garbled> {
        match &mut self.found.records {
            Records::Whole(all) => all.push(serde_json::from_slice(json)?),
            Records::Rows { names, cells } => {
                let row: Vec<Value> = serde_json::from_slice(json)?;
                if row.len() != names.len() {
                    return Err(Garbled);
                }
                let cell = |(value, shared): (Value, &Option<std::sync::Arc<str>>)| match shared {
                    Some(text) if value.is_null() => Cell::Shared(text.clone()),
                    _ => Cell::from(value),
                };
                cells.extend(row.into_iter().zip(&self.shared).map(cell));
            }
        }
        Ok(())
    }
}

/// Of a page that is scraped.
#[derive(Default)]
pub(crate) struct OfRecords {
    found: PageRecords,
    rest: Option<RestOfRecords>,
}

impl Answer for OfRecords {
    type Found = PageRecords;
    type Error = PageError;

    fn take(&mut self, tag: u8, json: &[u8]) -> Result<(), Garbled> {
        match tag {
            RECORD => self.found.records.push(serde_json::from_slice(json)?),
            REST => self.rest = Some(serde_json::from_slice(json)?),
            _ => return Err(Garbled),
        }
        Ok(())
    }

    fn found(self) -> Result<PageRecords, Garbled> {
        let RestOfRecords { more, warnings, next } = self.rest.ok_or(Garbled)?;
        Ok(PageRecords { records: self.found.records, more, warnings, next })
    }
}

/// Of a page that is read.
#[derive(Default)]
pub(crate) struct OfPage {
    content: Value,
    rest: Option<RestOfPage>,
}

impl Answer for OfPage {
    type Found = Page;
    type Error = PageError;

    fn take(&mut self, tag: u8, json: &[u8]) -> Result<(), Garbled> {
        match tag {
            RECORD => self.content = serde_json::from_slice(json)?,
            REST => self.rest = Some(serde_json::from_slice(json)?),
            _ => return Err(Garbled),
        }
        Ok(())
    }

    fn found(self) -> Result<Page, Garbled> {
        let RestOfPage { title, metadata, links } = self.rest.ok_or(Garbled)?;
        Ok(Page { content: self.content, title, metadata, links })
    }
}

/// Of a feed.
#[derive(Default)]
pub(crate) struct OfFeed {
    items: Vec<Item>,
    missed: Option<Missed>,
}

impl Answer for OfFeed {
    type Found = FeedItems;
    type Error = PageError;

    fn take(&mut self, tag: u8, json: &[u8]) -> Result<(), Garbled> {
        match tag {
            RECORD => self.items.push(serde_json::from_slice(json)?),
            REST => self.missed = Some(serde_json::from_slice(json)?),
            _ => return Err(Garbled),
        }
        Ok(())
    }

    fn found(self) -> Result<FeedItems, Garbled> {
        Ok(FeedItems { items: self.items, missed: self.missed.ok_or(Garbled)? })
    }
}
