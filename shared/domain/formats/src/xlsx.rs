//! Workbooks: one sheet, cell by cell, after everything packed in the file was counted.

mod hidden;
mod merged;
mod value;

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::sync::Arc;

use calamine::{DataRef, Reader as _, Sheet, SheetType, SheetVisible, Xlsx, XlsxError};
use countersign_connector::{Pick, XlsxRules};
use serde_json::Value;
use zip::ZipArchive;

use crate::error::{DAMAGED, FormatError, PROTECTED};
use crate::limits::{Limits, Stop};
use crate::table::{Row, Table};
use crate::whole;
use crate::{Extraction, Warning};
use hidden::Hidden;
use merged::Merged;
use value::value;

const FORMAT: &str = "XLSX workbook";
/// The text of a formula whose result is not stored in the workbook.
const NOT_CALCULATED: &str = "a formula without a stored result";
/// An empty cell of a region that has a figure.
const MERGED: &str =
    "the cell is merged with others, whose figure counts in the first of them only";
/// Sheets that are looked at for contents beside the one that is read.
const MAX_LOOKED_AT: usize = 100;
/// Sheets that a message names.
const SHOWN_NAMES: usize = 12;

type Book = Xlsx<Cursor<Arc<[u8]>>>;

pub(crate) fn read(
    rules: &XlsxRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let bytes = whole::bytes(source, limits.max_bytes)?;
    let hidden = measure(&bytes, limits, stop)?;
    let damaged = || malformed("the workbook", "its parts contradict each other");
    whole::guarded(|| sheet(rules, bytes, &hidden, limits, stop)).unwrap_or_else(|| Err(damaged()))
}

fn malformed(place: impl Into<String>, problem: impl Into<String>) -> FormatError {
    FormatError::malformed(FORMAT, place, problem)
}

/// Why a part of the archive cannot be read, without the library's words.
fn of_part(error: &zip::result::ZipError) -> &'static str {
    let is_locked = error.to_string().to_lowercase().contains("password");
    if is_locked { PROTECTED } else { DAMAGED }
}

/// What the library could not read, without its words.
fn problem(error: &XlsxError) -> &'static str {
    match error {
        XlsxError::Password => PROTECTED,
        _ => DAMAGED,
    }
}

/// Unpacks every part to nowhere: what the directory says of sizes is believed only when it is already too much. Gives the rows
/// that are hidden.
fn measure(bytes: &[u8], limits: &Limits, stop: &Stop) -> Result<Hidden, FormatError> {
    if bytes.starts_with(&[0xD0, 0xCF, 0x11, 0xE0]) {
        let problem = "it is an old .xls workbook, or protected by a password".to_owned();
        return Err(FormatError::NotOfFormat { format: FORMAT.into(), problem });
    }
    if !bytes.starts_with(b"PK") {
        let problem = whole::beginning(bytes);
        return Err(FormatError::NotOfFormat { format: FORMAT.into(), problem });
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| FormatError::Truncated {
        place: format!("byte {}", bytes.len()),
        open: "the directory of the workbook's parts is missing or damaged".to_owned(),
    })?;
    let parts = archive.len();
    let place = || "the workbook's directory".to_owned();
    FormatError::bound(parts as u64, limits.max_parts as u64, "parts", place)?;
    let mut left = limits.max_unpacked_bytes;
    let mut hidden = Hidden::default();
    for index in 0..parts {
        stop.check()?;
        let part = archive
            .by_index(index)
            .map_err(|error| malformed(format!("part {}", index + 1), of_part(&error)))?;
        let part_name = part.name().unwrap_or_default().into_owned();
        let name = part_name.chars().take(80).collect::<String>();
        let place = format!("part `{name}`");
        let bomb = |place| {
            let (what, limit) = ("bytes when it is unpacked", limits.max_unpacked_bytes);
            FormatError::Limit { place, what: what.into(), limit }
        };
        if part.size() > left {
            return Err(bomb(place));
        }
        let mut counter = Hidden::counter(&part_name);
        let seen = |piece: &[u8]| counter.iter_mut().for_each(|counter| counter.take(piece));
        let size = whole::count(part, left, seen).map_err(|_| malformed(place.clone(), DAMAGED))?;
        left = left.checked_sub(size).ok_or_else(|| bomb(place))?;
        counter.iter().for_each(|counter| hidden.add(&part_name, counter));
    }
    Ok(hidden)
}

fn sheet(
    rules: &XlsxRules,
    bytes: Vec<u8>,
    hidden: &Hidden,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let explain = |error: XlsxError| malformed("the workbook", problem(&error));
    let bytes = Arc::<[u8]>::from(bytes);
    let mut workbook = Xlsx::new(Cursor::new(Arc::clone(&bytes))).map_err(explain)?;
    let sheets = workbook.sheets_metadata().iter();
    let sheets = sheets.filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let sheets: Vec<Sheet> = sheets.cloned().collect();
    let names: Vec<&str> = sheets.iter().map(|sheet| sheet.name.as_str()).collect();
    let name = chosen(rules.sheet.as_ref(), &names)?;
    let mut read = rows(&mut workbook, rules, name, limits, stop);
    if let (Ok(found), Some(message)) = (&mut read, hidden.said(&bytes, name)) {
        found.warnings.push(Warning { record: None, field: String::new(), message });
    }
    if rules.sheet.is_some() || matches!(read, Err(FormatError::Time)) {
        return read;
    }
    match (unread(&mut workbook, &sheets, name, stop), read) {
        (None, read) => read,
        (Some(message), Ok(mut found)) => {
            found.warnings.push(Warning { record: None, field: String::new(), message });
            Ok(found)
        }
        (Some(message), Err(FormatError::Empty)) => {
            Err(FormatError::WrongKind(format!("the sheet `{name}` is empty; {message}")))
        }
        (Some(message), Err(FormatError::WrongKind(why))) => {
            Err(FormatError::WrongKind(format!("{why}; {message}")))
        }
        (Some(_), Err(error)) => Err(error),
    }
}

/// The records of a sheet.
fn rows(
    workbook: &mut Book,
    rules: &XlsxRules,
    name: &str,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let explain = |row: u32, error: &XlsxError| {
        malformed(format!("sheet `{name}`, row {row}"), problem(error))
    };
    let merged = Merged::of(workbook, name, rules.table.header_row);
    let mut cells = workbook.worksheet_cells_reader(name).map_err(|error| explain(1, &error))?;
    let mut table = Table::new(&rules.table, limits);
    if let Err(error) = &merged {
        table.warn_or_count(format!(
            "sheet `{name}`: which cells are merged could not be read: {}",
            problem(error)
        ));
    }
    let mut merged = merged.unwrap_or_default();
    let mut row = Cells::default();
    while let Some(cell) =
        cells.next_cell_with_formula_metadata().map_err(|error| explain(row.row + 1, &error))?
    {
        let (at, column) = cell.pos;
        if at != row.row {
            row.give(&mut table, &mut merged, name, limits)?;
            if at < row.row {
                return Err(malformed(
                    format!("sheet `{name}`, row {}", at + 1),
                    "rows are not in order",
                ));
            }
            row.row = at;
            stop.check()?;
        }
        // What was not calculated must not pass for an empty cell; a result that is an empty text is one.
        if matches!(cell.value, DataRef::Empty) && cell.formula.is_some() {
            row.uncalculated.insert(column as usize);
        }
        let value = value(&cell.value);
        if !value.is_null() {
            row.put(column as usize, value, limits).map_err(|over| too_much(name, at, over))?;
        }
    }
    row.give(&mut table, &mut merged, name, limits)?;
    table.finish()
}

/// That other sheets have contents, when nobody has chosen the one that was read. What is hidden, people do not miss.
fn unread(workbook: &mut Book, sheets: &[Sheet], read: &str, stop: &Stop) -> Option<String> {
    let is_other = |one: &&Sheet| one.visible == SheetVisible::Visible && one.name != read;
    let mut filled = Vec::new();
    for Sheet { name, .. } in sheets.iter().filter(is_other).take(MAX_LOOKED_AT) {
        if has_contents(workbook, name, stop) {
            filled.push(format!("`{name}`"));
        }
    }
    let (count, named) = (filled.len(), filled.iter().take(SHOWN_NAMES));
    let mut named: Vec<&str> = named.map(String::as_str).collect();
    if count > SHOWN_NAMES {
        named.push("…");
    }
    let list = named.join(", ");
    let message = format!(
        "only the sheet `{read}` was read, and there is something in others: {list}; `sheet` in the connector chooses one"
    );
    (count > 0).then_some(message)
}

/// Whether a sheet has a cell with a value or a formula. One that cannot be read, or not in time, may have something that nobody
/// has seen.
fn has_contents(workbook: &mut Book, name: &str, stop: &Stop) -> bool {
    let Ok(mut cells) = workbook.worksheet_cells_reader(name) else { return true };
    loop {
        if stop.check().is_err() {
            return true;
        }
        match cells.next_cell_with_formula_metadata() {
            Ok(None) => return false,
            Ok(Some(cell)) if cell.formula.is_none() && is_blank(&value(&cell.value)) => {}
            Ok(Some(_)) | Err(_) => return true,
        }
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// The name of the sheet that is meant.
fn chosen<'n>(pick: Option<&Pick>, names: &[&'n str]) -> Result<&'n str, FormatError> {
    let found = match pick {
        None => names.first(),
        Some(Pick::Number(number)) => names.get(*number as usize - 1),
        Some(Pick::Name(name)) => names.iter().find(|known| *known == name),
    };
    found.copied().ok_or_else(|| {
        let wanted = match pick {
            None => "no sheet".to_owned(),
            Some(Pick::Number(number)) => format!("no sheet {number}"),
            Some(Pick::Name(name)) => format!("no sheet `{name}`"),
        };
        let known: Vec<String> =
            names.iter().take(SHOWN_NAMES).map(|name| format!("`{name}`")).collect();
        FormatError::WrongKind(format!(
            "the workbook has {wanted}; its sheets are {}",
            known.join(", ")
        ))
    })
}

/// The cells of one row that have a value.
#[derive(Default)]
struct Cells {
    row: u32,
    cells: Vec<(usize, Value)>,
    /// The columns of formulas without a stored result.
    uncalculated: BTreeSet<usize>,
    /// The columns of values that stand in a cell above, which is merged with this one.
    copied: BTreeSet<usize>,
    /// The first and last columns of regions that have their figure in another cell.
    merged: Vec<(usize, usize)>,
    bytes: usize,
}

fn too_much(sheet: &str, row: u32, (what, limit): (&'static str, usize)) -> FormatError {
    let place = format!("sheet `{sheet}`, row {}", row + 1);
    FormatError::Limit { place, what: what.into(), limit: limit as u64 }
}

impl Cells {
    /// Many cells may show one shared text, so that a short row can be large: what is too much, and its bound.
    fn put(
        &mut self,
        column: usize,
        value: Value,
        limits: &Limits,
    ) -> Result<(), (&'static str, usize)> {
        let bytes = value.as_str().map_or(0, str::len);
        self.bytes += bytes;
        if bytes > limits.max_value_bytes {
            return Err(("bytes in one value", limits.max_value_bytes));
        }
        if self.bytes > limits.max_record_bytes {
            return Err(("bytes in one row", limits.max_record_bytes));
        }
        if self.cells.len() >= limits.max_columns {
            return Err(("columns", limits.max_columns));
        }
        match self.cells.last() {
            Some((last, _)) if *last >= column => {
                // Cells of a row out of order are rare; the first of two in one place counts.
                if let Err(at) = self.cells.binary_search_by_key(&column, |(column, _)| *column) {
                    self.cells.insert(at, (column, value));
                }
            }
            _ => self.cells.push((column, value)),
        }
        Ok(())
    }

    /// Its own value in a column.
    fn own(&self, column: usize) -> Option<Value> {
        let found = self.cells.binary_search_by_key(&column, |(column, _)| *column);
        found.ok().filter(|_| !self.copied.contains(&column)).map(|at| self.cells[at].1.clone())
    }

    /// Whether a column has a value or a formula.
    fn has(&self, column: usize) -> bool {
        self.uncalculated.contains(&column) || self.own(column).is_some()
    }

    /// Gives the row to the table and starts a new one.
    fn give(
        &mut self,
        table: &mut Table<'_>,
        merged: &mut Merged,
        sheet: &str,
        limits: &Limits,
    ) -> Result<(), FormatError> {
        if !self.is_empty() {
            merged.fill(self, limits).map_err(|over| too_much(sheet, self.row, over))?;
            let number = self.row + 1;
            table.row(u64::from(number), self, || format!("sheet `{sheet}`, row {number}"))?;
            self.cells.clear();
            self.uncalculated.clear();
            self.copied.clear();
            self.merged.clear();
            self.bytes = 0;
        }
        Ok(())
    }
}

impl Row for Cells {
    fn width(&self) -> usize {
        let last = self.cells.last().map(|(column, _)| column);
        last.max(self.uncalculated.last())
            .max(self.merged.last().map(|(first, _)| first))
            .map_or(0, |column| column + 1)
    }

    fn text(&self, index: usize) -> String {
        match self.value(index) {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    fn value(&self, index: usize) -> Value {
        let found = self.cells.binary_search_by_key(&index, |(column, _)| *column);
        found.map_or(Value::Null, |at| self.cells[at].1.clone())
    }

    fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.uncalculated.is_empty()
    }

    fn complaint(&self, index: usize) -> Option<&'static str> {
        let before = self.merged.partition_point(|(first, _)| *first <= index);
        let region = before.checked_sub(1).and_then(|at| self.merged.get(at));
        let is_merged = region.is_some_and(|(_, last)| index <= *last) && !self.has(index);
        let uncalculated = self.uncalculated.contains(&index).then_some(NOT_CALCULATED);
        uncalculated.or_else(|| is_merged.then_some(MERGED))
    }

    fn is_copy(&self, index: usize) -> bool {
        self.copied.contains(&index)
    }
}
