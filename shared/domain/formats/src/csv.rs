//! Separated values, row by row. Cells are text: a formula is data like any other.

mod delimiter;
mod quotes;

use std::io::{Cursor, Read};

use countersign_connector::{Cell, CsvRules, Pick, TableRules};
use csv::{ReaderBuilder, StringRecord};
use serde_json::Value;

use crate::Extraction;
use crate::error::FormatError;
use crate::limits::{Limits, Stop};
use crate::table::{Row, Table};
use crate::text::Text;
use quotes::{Broken, Passed, Quotes};

/// Text looked at to find the delimiter.
const HEAD: usize = 16 * 1024;
/// Rows of another width, and malformed ones, that are said one by one.
const MAX_SAID: u64 = 20;
/// What is said of a row that a quote which stands for itself may have made of several.
const DOUBTFUL: &str = "a quote behind a blank opens a cell of several lines; if it is not meant as the beginning of a cell, the rows in it are missing";

pub(crate) fn read(
    rules: &CsvRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let mut text = Text::new(source, rules.encoding.as_deref(), limits.max_bytes);
    let mut head = String::new();
    while head.len() < HEAD && text.append(&mut head)? {}
    if let Some(kind) = foreign(&head) {
        let problem = format!("it starts as {kind} does");
        return Err(FormatError::NotOfFormat { format: "CSV".into(), problem });
    }
    let first = rules.table.header_row.unwrap_or(1);
    let found = || delimiter::detect(&head, &rules.table);
    let delimiter = rules.delimiter.map_or_else(found, Ok)?;
    let quotes = Quotes::new(Cursor::new(head).chain(text), delimiter, limits);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter as u8)
        .buffer_capacity(64 * 1024)
        .from_reader(quotes);
    let mut table = Table::new(&rules.table, limits);
    // Without mapped fields a cell too many is kept under a name of its own; without a header nobody said how wide a row is.
    let mut ragged = Ragged {
        first,
        width: None,
        numbered: last_number(&rules.table),
        maps: rules.table.header_row.is_some() && !rules.table.fields.is_empty(),
        ..Ragged::default()
    };
    let mut broken = Broken::new(&rules.table);
    let mut doubtful = Doubtful { first, count: 0 };
    let (mut record, mut number) = (StringRecord::new(), 0);
    while reader.read_record(&mut record).map_err(explain)? {
        stop.check()?;
        number += 1;
        let Passed { line, is_broken, is_doubtful } = reader.get_mut().next_row();
        if is_broken {
            broken.leave_out(&mut table, number, line)?;
            continue;
        }
        if is_doubtful {
            doubtful.meet(&mut table, number, line);
        }
        let fit = ragged.fit(number, &record);
        if fit != Fit::Shifted {
            table.row(number, &record, || format!("line {line}"))?;
        }
        if let Some(message) = ragged.message(fit, record.len(), line) {
            ragged.said += u64::from(table.warn(message));
        }
    }
    if let Some(line) = reader.get_ref().open_since() {
        let open = "a quoted cell is not closed".to_owned();
        return Err(FormatError::Truncated { place: format!("line {line}"), open });
    }
    for message in [ragged.total(), broken.total(), doubtful.total()].into_iter().flatten() {
        table.warn_last(message);
    }
    table.finish()
}

fn explain(error: csv::Error) -> FormatError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => FormatError::of_io(&error),
        _ => FormatError::Source("it cannot be read as CSV".to_owned()),
    }
}

/// How files of another kind begin that are often met under a wrong name: each line of such a file would be a record.
const FOREIGN: [(&str, &str); 8] = [
    ("%pdf-", "a PDF"),
    ("pk\u{3}\u{4}", "a workbook or an archive"),
    ("<!doctype", "a page of HTML"),
    ("<html", "a page of HTML"),
    ("<head", "a page of HTML"),
    ("<!--", "a page of HTML"),
    ("<?xml", "XML"),
    ("{\\rtf", "a text of a word processor"),
];

fn foreign(head: &str) -> Option<&'static str> {
    let head = head.trim_start();
    let begin: String = head.chars().take(10).flat_map(char::to_lowercase).collect();
    let known = FOREIGN.iter().find(|(known, _)| begin.starts_with(known));
    known.map(|(_, kind)| *kind).or_else(|| is_json(head).then_some("JSON"))
}

/// Whether a text begins as an object or a list of JSON does. A name in brackets may also be that of a column.
fn is_json(head: &str) -> bool {
    let inside = |bracket| head.strip_prefix(bracket).map(str::trim_start);
    let is_object = inside('{').is_some_and(|rest| rest.starts_with(['"', '}']));
    is_object || inside('[').is_some_and(|rest| rest.starts_with(['"', '{', '[', ']']))
}

impl Row for StringRecord {
    fn width(&self) -> usize {
        self.len()
    }

    fn text(&self, index: usize) -> String {
        self.get(index).unwrap_or_default().trim().to_owned()
    }

    fn value(&self, index: usize) -> Value {
        self.cell(index).into()
    }

    fn cell(&self, index: usize) -> Cell {
        match self.get(index).map(str::trim) {
            None | Some("") => Cell::Null,
            Some(text) => Cell::Text(text.into()),
        }
    }

    fn is_empty(&self) -> bool {
        self.iter().all(|cell| cell.trim().is_empty())
    }
}

/// How the width of a row compares with that of the first one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Same,
    /// It has fewer cells, or more of which those beyond the last column are empty.
    Other,
    /// It has a value beyond the last column that has a name: a cell before that was split in two, and which one nobody knows.
    Shifted,
}

/// The last column that is mapped by its number.
fn last_number(rules: &TableRules) -> usize {
    let picks = rules.fields.iter().flat_map(|field| &field.columns);
    let numbers = picks.filter_map(|pick| match pick {
        Pick::Number(number) => Some(*number as usize),
        Pick::Name(_) => None,
    });
    numbers.max().unwrap_or_default()
}

/// How many cells a header has, without those at its end that are empty.
fn named(header: &StringRecord) -> usize {
    (1..).zip(header).filter(|(_, cell)| !cell.trim().is_empty()).last().map_or(0, |(n, _)| n)
}

/// Rows that a quote which stands for itself may have made of several.
struct Doubtful {
    first: u32,
    count: u64,
}

impl Doubtful {
    fn meet(&mut self, table: &mut Table<'_>, number: u64, line: u64) {
        if number < u64::from(self.first) {
            return;
        }
        self.count += 1;
        if self.count <= MAX_SAID {
            table.warn_or_count(format!("line {line}: {DOUBTFUL}"));
        }
    }

    /// What is said of all of them once they are too many to be named.
    fn total(&self) -> Option<String> {
        let Self { count, .. } = self;
        (*count > MAX_SAID).then(|| format!("{count} rows in all: {DOUBTFUL}"))
    }
}

/// Rows that are wider or narrower than the header.
#[derive(Default)]
struct Ragged {
    first: u32,
    width: Option<usize>,
    /// The columns of the header up to the last that has a name, or that is mapped by its number.
    named: Option<usize>,
    numbered: usize,
    maps: bool,
    count: u64,
    unread: u64,
    /// How many of them have a warning of their own.
    said: u64,
}

impl Ragged {
    fn fit(&mut self, number: u64, record: &StringRecord) -> Fit {
        if number < u64::from(self.first) {
            return Fit::Same;
        }
        let width = *self.width.get_or_insert(record.len());
        let named = *self.named.get_or_insert_with(|| named(record).max(self.numbered));
        let fit = if self.maps && record.iter().skip(named).any(|cell| !cell.trim().is_empty()) {
            Fit::Shifted
        } else if width == record.len() {
            Fit::Same
        } else {
            Fit::Other
        };
        self.count += u64::from(fit != Fit::Same);
        self.unread += u64::from(fit == Fit::Shifted);
        fit
    }

    fn message(&self, fit: Fit, cells: usize, line: u64) -> Option<String> {
        if self.count > MAX_SAID {
            return None;
        }
        match fit {
            Fit::Same => None,
            Fit::Other => {
                Some(format!("line {line} has {cells} cells, the first row {}", self.width?))
            }
            Fit::Shifted => Some(format!(
                "line {line} has {cells} cells, the header names {}, and is not read: a value may be in the wrong column",
                self.named?
            )),
        }
    }

    fn total(&self) -> Option<String> {
        let unread = match self.unread {
            0 => String::new(),
            unread => format!("; {unread} of them are not read"),
        };
        (self.count > self.said)
            .then(|| format!("{} rows in all are of another width{unread}", self.count))
    }
}
