//! XML files become records in one pass (F-099), in memory that does not grow with the file.
//!
//! Bounded on purpose: bytes, depth, attributes, one tag or text, elements, records and what is kept. There is no
//! document type, no entity beyond the five predefined, and nothing is fetched.

mod collect;
mod decode;
mod error;
mod of_document;
mod others;
mod problem;
mod targets;
mod walk;
mod white_space;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

pub use collect::ValueWarning;
pub use error::{Place, XmlError};

use crate::model::ParseRules;
use crate::records::Records;

/// Bounds on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub max_bytes: u64,
    /// Elements inside each other.
    pub max_depth: u64,
    /// Attributes of one element.
    pub max_attributes: u64,
    /// Bytes of one tag, text, comment or value.
    pub max_token_bytes: u64,
    /// Elements.
    pub max_elements: u64,
    /// Records.
    pub max_records: u64,
    /// Bytes of all values kept.
    pub max_kept_bytes: u64,
    /// Bytes of the document's values on all records.
    pub max_carried_bytes: u64,
}

impl Limits {
    /// The bounds for files of up to `megabytes`.
    #[must_use]
    pub fn for_megabytes(megabytes: u32) -> Self {
        Self {
            max_bytes: u64::from(megabytes) * 1024 * 1024,
            max_depth: 128,
            max_attributes: 64,
            max_token_bytes: 1024 * 1024,
            max_elements: 5_000_000,
            max_records: 100_000,
            max_kept_bytes: 64 * 1024 * 1024,
            max_carried_bytes: 192 * 1024 * 1024,
        }
    }
}

/// What a file held.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// The records, in the document's order.
    pub records: Records,
    /// Values that are not of their type: the first 1,000.
    pub warnings: Vec<ValueWarning>,
    /// How many more there are, by their fields.
    pub more_warnings: BTreeMap<String, u64>,
    /// The local name of the document element.
    pub document_element: String,
    /// The size of the file.
    pub bytes: u64,
}

/// Reads the records of one file.
///
/// A list endpoint gives a record per list element with any value of its own; without a list element the document is
/// one record. A document without the endpoint's list is not an error: many filings have no grants.
///
/// # Errors
/// [`XmlError`] for everything that makes the file unreadable; a file is read whole or not at all.
pub fn extract(
    rules: &ParseRules,
    source: impl Read,
    limits: &Limits,
) -> Result<Extraction, XmlError> {
    walk::walk(rules, source, limits)
}
