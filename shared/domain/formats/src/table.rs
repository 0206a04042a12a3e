//! Rows become records, for every format that has rows.

use std::collections::{HashMap, HashSet};

use countersign_connector::{Cell, ColumnRule, Pick, Records, TableRules, ValueType};
use countersign_decimal::Decimal;
use serde_json::{Map, Value};

use crate::coerce::coerce;
use crate::error::FormatError;
use crate::limits::Limits;
use crate::warnings::{note, note_or_count, warn};
use crate::{Extraction, Warning};

/// A figure that would be added up several times.
const COPIED: &str =
    "the figure is that of a cell that spans several rows or columns; it counts in each of them";
/// The same of a column without a type, said of its first one.
const COPIED_UNTYPED: &str = "the number is that of a cell that spans several rows or columns, and counts in each of them if it is added up, \
                              as do others of this column; with `type: string` it is none";
/// The cells of one row.
pub(crate) trait Row {
    /// How many there are.
    fn width(&self) -> usize;
    /// One as text, for headers.
    fn text(&self, index: usize) -> String;
    /// One as value; null when it is empty or not there.
    fn value(&self, index: usize) -> Value;
    /// The same as it is kept.
    fn cell(&self, index: usize) -> Cell {
        self.value(index).into()
    }
    /// Whether no cell has a value.
    fn is_empty(&self) -> bool;
    /// Whether a cell has the value of another one, which spans this one too.
    fn is_copy(&self, _index: usize) -> bool {
        false
    }
    /// Why a cell has no value that should have one.
    fn complaint(&self, _index: usize) -> Option<&'static str> {
        None
    }
}

/// A table being read, from its first row to its last.
pub(crate) struct Table<'r> {
    rules: &'r TableRules,
    limits: &'r Limits,
    rows: u64,
    header: Option<Header>,
    kept_bytes: u64,
    /// Columns without a type of which is said that they repeat a figure.
    copied: HashSet<usize>,
    out: Extraction,
}

/// Where values stand.
enum Header {
    /// By column, for each field.
    Fields(Vec<Vec<usize>>),
    /// The name of every column.
    All(Vec<String>),
}

impl<'r> Table<'r> {
    pub(crate) fn new(rules: &'r TableRules, limits: &'r Limits) -> Self {
        let mut this = Self {
            rules,
            limits,
            rows: 0,
            header: None,
            kept_bytes: 0,
            copied: HashSet::new(),
            out: Extraction::default(),
        };
        if !rules.fields.is_empty() {
            this.out.records =
                Records::rows(rules.fields.iter().map(|rule| rule.field.clone()).collect());
        }
        if rules.header_row.is_none() {
            this.header = Some(if rules.fields.is_empty() {
                Header::All(Vec::new())
            } else {
                Header::Fields(rules.fields.iter().map(numbered).collect())
            });
        }
        this
    }

    /// The next row, by its number; `place` says where it stands.
    pub(crate) fn row(
        &mut self,
        number: u64,
        row: &impl Row,
        place: impl Fn() -> String,
    ) -> Result<(), FormatError> {
        self.rows = number;
        let bound = |value: u64, limit: u64, what| FormatError::bound(value, limit, what, &place);
        bound(self.rows, self.limits.max_rows, "rows")?;
        bound(row.width() as u64, self.limits.max_columns as u64, "columns")?;
        match self.rules.header_row {
            Some(header) if number < u64::from(header) => return Ok(()),
            Some(header) if number == u64::from(header) => return self.header(row, &place()),
            Some(_) if self.header.is_none() => return self.no_header(),
            _ => {}
        }
        // Rows of empty cells separate blocks or fill a sheet; they hold nothing.
        if row.is_empty() {
            return Ok(());
        }
        self.record(row, &place)?;
        bound(self.out.records.len() as u64, self.limits.max_records as u64, "records")
    }

    /// Passes over a row that cannot be read.
    pub(crate) fn skip(&mut self, number: u64) {
        self.rows = number;
    }

    /// Counts a value before the next one is made of the same cell.
    fn count(
        &mut self,
        bytes: usize,
        size: u64,
        place: &impl Fn() -> String,
    ) -> Result<(), FormatError> {
        self.kept_bytes += size;
        let (what, limit) = if bytes > self.limits.max_value_bytes {
            ("bytes in one value", self.limits.max_value_bytes as u64)
        } else if self.kept_bytes > self.limits.max_kept_bytes {
            ("bytes of values", self.limits.max_kept_bytes)
        } else {
            return Ok(());
        };
        Err(FormatError::Limit { place: place(), what: what.into(), limit })
    }

    fn header(&mut self, row: &impl Row, place: &str) -> Result<(), FormatError> {
        let mut names: Vec<String> = Vec::new();
        let mut bytes = 0;
        for index in 0..row.width() {
            names.push(row.text(index));
            bytes += names.last().map_or(0, String::len);
            let limit = self.limits.max_record_bytes as u64;
            FormatError::bound(bytes as u64, limit, "bytes in the header", || place.to_owned())?;
        }
        if self.rules.fields.is_empty() {
            self.header = Some(Header::All(distinct(names)));
            return Ok(());
        }
        let known: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let found: Vec<Vec<usize>> =
            self.rules.fields.iter().map(|rule| columns(rule, &known)).collect();
        if found.iter().all(Vec::is_empty) {
            let shown: Vec<String> =
                names.iter().take(12).map(|name| format!("`{name}`")).collect();
            return Err(FormatError::WrongKind(format!(
                "none of the mapped columns stands at {place}, where the header should be; there stand {}",
                if shown.is_empty() { "no cells".to_owned() } else { shown.join(", ") }
            )));
        }
        for (rule, _) in self.rules.fields.iter().zip(&found).filter(|(_, found)| found.is_empty())
        {
            self.out.warnings.push(Warning {
                record: None,
                field: rule.field.clone(),
                message: format!("the header at {place} has no column for this field"),
            });
        }
        self.out.warnings.extend(repeated(self.rules, &known, place));
        self.header = Some(Header::Fields(found));
        Ok(())
    }

    fn record(&mut self, row: &impl Row, place: &impl Fn() -> String) -> Result<(), FormatError> {
        // Taken out while the rest of the table changes.
        let header = self.header.take();
        let read = match &header {
            None => Ok(()),
            Some(header) => self.record_of(header, row, place),
        };
        self.header = header;
        read
    }

    fn record_of(
        &mut self,
        header: &Header,
        row: &impl Row,
        place: &impl Fn() -> String,
    ) -> Result<(), FormatError> {
        match header {
            Header::All(names) => {
                let mut record = Map::new();
                for index in 0..row.width().max(names.len()) {
                    let name = names.get(index).cloned();
                    let name = name.unwrap_or_else(|| format!("column_{}", index + 1));
                    let value = row.value(index);
                    let bytes = value.as_str().map_or(0, str::len);
                    self.count(bytes, name.len() as u64 + size(&value), place)?;
                    if let Some(complaint) =
                        row.complaint(index).or_else(|| self.copied(index, row))
                    {
                        let message = format!("{}: {complaint}", place());
                        let Extraction { records, warnings, more_warnings } = &mut self.out;
                        warn(warnings, more_warnings, records.len(), &name, message);
                    }
                    record.insert(name, value);
                }
                self.out.records.push(record);
            }
            Header::Fields(found) => {
                let record = self.out.records.len();
                let rules = self.rules;
                for (rule, columns) in rules.fields.iter().zip(found) {
                    let is_there = |index: &&usize| row.cell(**index) != Cell::Null;
                    let column = columns.iter().find(is_there).copied();
                    let cell = column.map(|index| row.cell(index)).unwrap_or_default();
                    let is_figure = rule.value_type.is_some_and(ValueType::is_figure);
                    let copied = match rule.value_type {
                        None => column.and_then(|index| self.copied(index, row)),
                        Some(_) => {
                            column.filter(|index| is_figure && row.is_copy(*index)).map(|_| COPIED)
                        }
                    };
                    let missing = columns.iter().find_map(|index| row.complaint(*index));
                    let missing = missing.filter(|_| cell == Cell::Null).map(str::to_owned);
                    let bytes = if let Cell::Text(text) = &cell { text.len() } else { 0 };
                    let (cell, complaint) = coerce(cell, rule.value_type, &rules.reading);
                    let copied = copied.map(str::to_owned);
                    if let Some(message) = complaint.or(missing).or(copied) {
                        let message = format!("{}: {message}", place());
                        let Extraction { warnings, more_warnings, .. } = &mut self.out;
                        warn(warnings, more_warnings, record, &rule.field, message);
                    }
                    self.count(bytes, cell_size(&cell), place)?;
                    if let Records::Rows { cells, .. } = &mut self.out.records {
                        cells.push(cell);
                    }
                }
            }
        }
        Ok(())
    }

    /// What is said of the first figure of a column without a type that is that of another cell too: a text that is a plain
    /// number is added up as one.
    fn copied(&mut self, index: usize, row: &impl Row) -> Option<&'static str> {
        let is_amount = || match row.value(index) {
            Value::Number(_) => true,
            Value::String(text) => Decimal::parse(&text).is_ok(),
            _ => false,
        };
        (row.is_copy(index) && is_amount() && self.copied.insert(index)).then_some(COPIED_UNTYPED)
    }

    /// Says something about the table that is not about a record; false when there are too many warnings for it.
    pub(crate) fn warn(&mut self, message: String) -> bool {
        note(&mut self.out, message)
    }

    /// As [`Table::warn`], but counted when there is no room to write it out.
    pub(crate) fn warn_or_count(&mut self, message: String) {
        note_or_count(&mut self.out, message);
    }

    /// As [`Table::warn`], of something that is said once and however many warnings there are.
    pub(crate) fn warn_last(&mut self, message: String) {
        self.out.warnings.push(Warning { record: None, field: String::new(), message });
    }

    /// The records, once there are no more rows.
    pub(crate) fn finish(self) -> Result<Extraction, FormatError> {
        match (self.rows, self.rules.header_row) {
            (0, _) => Err(FormatError::Empty),
            (_, Some(_)) if self.header.is_none() => self.no_header().map(|()| self.out),
            _ => Ok(self.out),
        }
    }

    fn no_header(&self) -> Result<(), FormatError> {
        let header = self.rules.header_row.unwrap_or(1);
        Err(FormatError::WrongKind(format!(
            "the header should be row {header}, but there is no such row"
        )))
    }
}

/// About how much memory a cell takes.
pub(crate) fn cell_size(cell: &Cell) -> u64 {
    const CELL: u64 = 24;
    CELL + match cell {
        Cell::Text(text) => text.len() as u64,
        Cell::Other(value) => size(value),
        _ => 0,
    }
}

/// About how much memory a record takes.
pub(crate) fn size_of(record: &Map<String, Value>) -> u64 {
    record.iter().map(|(name, value)| name.len() as u64 + size(value)).sum()
}

fn size(value: &Value) -> u64 {
    const ENTRY: u64 = 96;
    ENTRY
        + match value {
            Value::String(text) => text.len() as u64,
            Value::Array(items) => items.iter().map(size).sum(),
            Value::Object(entries) => size_of(entries),
            _ => 0,
        }
}

fn numbered(rule: &ColumnRule) -> Vec<usize> {
    let number = |pick: &Pick| match pick {
        Pick::Number(number) => Some(*number as usize - 1),
        Pick::Name(_) => None,
    };
    rule.columns.iter().filter_map(number).collect()
}

/// The columns of a field that the header has, by their plain names, most preferred first.
fn columns(rule: &ColumnRule, known: &[String]) -> Vec<usize> {
    let place = |pick: &Pick| match pick {
        Pick::Number(number) => {
            (*number as usize).checked_sub(1).filter(|index| *index < known.len())
        }
        Pick::Name(name) => {
            let name = plain(name);
            known.iter().position(|known| *known == name)
        }
    };
    rule.columns.iter().filter_map(place).collect()
}

/// What is said of fields whose column the header has more than once.
fn repeated(rules: &TableRules, known: &[String], place: &str) -> Vec<Warning> {
    let count = |name: &str| known.iter().filter(|known| **known == plain(name)).count();
    let message = |pick: &Pick| match pick {
        Pick::Name(name) if count(name) > 1 => Some(format!(
            "the header at {place} has {} columns `{name}`; the first is read",
            count(name)
        )),
        Pick::Name(_) | Pick::Number(_) => None,
    };
    let fields = rules.fields.iter();
    let of_field = |rule: &ColumnRule| {
        let message = rule.columns.iter().find_map(message)?;
        Some(Warning { record: None, field: rule.field.clone(), message })
    };
    fields.filter_map(of_field).collect()
}

/// A column's name without what people vary: white space and case.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Every column's name as a field: none empty, none twice, none that looks like a field of provenance.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(names.len());
    // How often each name was used, so that a row of equal names costs no more than one of different ones.
    let mut used: HashMap<String, usize> = HashMap::new();
    for (index, name) in names.into_iter().enumerate() {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = name.trim_start_matches('_').to_owned();
        let name = if name.is_empty() { format!("column_{}", index + 1) } else { name };
        let mut nth = used.get(&name).copied().unwrap_or(0) + 1;
        let mut fresh = if nth == 1 { name.clone() } else { format!("{name}_{nth}") };
        while nth > 1 && used.contains_key(&fresh) {
            nth += 1;
            fresh = format!("{name}_{nth}");
        }
        used.insert(name, nth);
        used.entry(fresh.clone()).or_insert(1);
        all.push(fresh);
    }
    all
}
