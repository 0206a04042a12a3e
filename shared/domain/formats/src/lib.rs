//! Readers of the file formats a `file_parser` knows (F-099): bytes of any source become records.
//!
//! The rules stand in `countersign-connector`; the readers stand here, because workbooks, pages and PDFs need libraries
//! that no other user of a connector should have to link. XML, CSV, JSON and JSON Lines are read while they arrive;
//! workbooks, pages and PDFs need the whole file first and are bounded before they are unpacked. This crate is pure: it
//! knows no network, no clock and no limit of memory: whoever reads what strangers send does it in a process that can be
//! killed (`countersign-reader`).

mod coerce;
mod csv;
mod error;
mod html;
mod json;
mod jsonl;
mod limits;
mod pdf;
mod pick;
mod table;
mod text;
mod warnings;
mod whole;
mod window;
mod xlsx;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use countersign_connector::xml;
use countersign_connector::{FormatRules, Operation, ParseRules, Records, endings};
use serde::{Deserialize, Serialize};

pub use error::FormatError;
pub use limits::{Limits, Stop};

/// Something that was left out or left null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The record it is about, by its index.
    pub record: Option<usize>,
    /// The field it is about, or nothing.
    pub field: String,
    /// What is wrong, and where.
    pub message: String,
}

/// What a file held.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extraction {
    /// The records, in the file's order.
    pub records: Records,
    /// What was left out or left null: the first 1,000.
    pub warnings: Vec<Warning>,
    /// How many more there are, by their fields.
    pub more_warnings: BTreeMap<String, u64>,
}

/// The reader of one endpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Reader {
    /// Of XML.
    Xml(Box<ParseRules>),
    /// Of any other format.
    Other(Box<FormatRules>),
}

impl Reader {
    /// The reader of an endpoint's operation, or `None` when it reads no file.
    #[must_use]
    pub fn of(operation: &Operation) -> Option<Self> {
        match operation {
            Operation::ParseXml(rules) => Some(Self::Xml(Box::new(rules.clone()))),
            Operation::Parse(rules) => Some(Self::Other(rules.clone())),
            Operation::Request(_)
            | Operation::Graphql(_)
            | Operation::Tool(_)
            | Operation::Scrape(_)
            | Operation::ReadFeeds(_)
            | Operation::Query(_) => None,
        }
    }

    /// The endings of the files it reads.
    #[must_use]
    pub fn endings(&self) -> &'static [&'static str] {
        match self {
            Self::Xml(_) => endings("xml"),
            Self::Other(rules) => endings(rules.parser()),
        }
    }

    /// Reads the records of one file.
    ///
    /// # Errors
    /// [`FormatError`] for everything that makes the file unreadable. A file is read whole or not at all, except that a
    /// bad line of JSON Lines is left out with a warning.
    pub fn read(
        &self,
        source: impl Read,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<Extraction, FormatError> {
        match self {
            Self::Xml(rules) => read_xml(rules, source, limits),
            Self::Other(rules) => match &**rules {
                FormatRules::Csv(rules) => csv::read(rules, source, limits, stop),
                FormatRules::Xlsx(rules) => xlsx::read(rules, source, limits, stop),
                FormatRules::Json(rules) => json::read(rules, source, limits, stop),
                FormatRules::Jsonl(rules) => jsonl::read(rules, source, limits, stop),
                FormatRules::HtmlTable(rules) => html::read(rules, source, limits, stop),
                FormatRules::PdfText(rules) => pdf::read(rules, source, limits, stop),
            },
        }
    }
}

fn read_xml(
    rules: &ParseRules,
    source: impl Read,
    limits: &Limits,
) -> Result<Extraction, FormatError> {
    let found = xml::extract(rules, source, &limits.of_xml())?;
    let warning = |warning: xml::ValueWarning| Warning {
        record: Some(warning.record),
        field: warning.field,
        message: warning.message,
    };
    let warnings = found.warnings.into_iter().map(warning).collect();
    Ok(Extraction { records: found.records, warnings, more_warnings: found.more_warnings })
}
