//! Rows that a sheet hides, by a filter or by hand. They are read like others, and whoever looks at the sheet does not see them.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use memchr::{memchr, memmem, memrchr};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

/// The folder of a workbook's sheets.
const SHEETS: &str = "xl/worksheets/";
const MARK: &[u8] = b" hidden=";
/// Bytes of a tag that was begun in one piece and ends in another; a longer one is none of a row.
const MAX_TAG: usize = 4_096;
/// Bytes of the parts that say which sheet is where.
const MAX_PART: u64 = 4 * 1024 * 1024;

/// How many hidden rows with cells each part has that is a sheet.
#[derive(Debug, Default)]
pub(super) struct Hidden(BTreeMap<String, u64>);

impl Hidden {
    /// What counts them in the pieces of a part; none for a part that is no sheet.
    pub(super) fn counter(part: &str) -> Option<Counter> {
        part.starts_with(SHEETS).then(Counter::default)
    }

    pub(super) fn add(&mut self, part: &str, counter: &Counter) {
        if counter.rows > 0 {
            self.0.insert(part.to_owned(), counter.rows);
        }
    }

    /// What is said of a sheet with such rows.
    pub(super) fn said(&self, workbook: &[u8], sheet: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let count = self.0.get(&part_of(workbook, sheet)?)?;
        let rows = if *count == 1 { "1 row is".to_owned() } else { format!("{count} rows are") };
        Some(format!(
            "sheet `{sheet}`: {rows} hidden there, by a filter or by hand, and read like others"
        ))
    }
}

/// Counts the hidden rows of a sheet, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Counter {
    rows: u64,
    /// The beginning of a tag that has not ended.
    open: Vec<u8>,
}

impl Counter {
    pub(super) fn take(&mut self, piece: &[u8]) {
        self.open.extend_from_slice(piece);
        let whole = memrchr(b'>', &self.open).map_or(0, |at| at + 1);
        self.rows += hidden_rows(&self.open[..whole]);
        let tag = memrchr(b'<', &self.open[whole..]).map_or(self.open.len(), |at| whole + at);
        self.open.drain(..tag);
        if self.open.len() > MAX_TAG {
            self.open.clear();
        }
    }
}

fn hidden_rows(xml: &[u8]) -> u64 {
    let marks = memmem::find_iter(xml, MARK);
    marks.filter(|at| is_in_row(&xml[..*at]) && is_set(&xml[at + MARK.len()..])).count() as u64
}

/// Whether what was read ends inside the tag of a row.
fn is_in_row(before: &[u8]) -> bool {
    let Some(start) = memrchr(b'<', before) else { return false };
    let tag = &before[start + 1..];
    let name = tag.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    memchr(b'>', tag).is_none() && name.rsplit(|byte| *byte == b':').next() == Some(b"row")
}

/// Whether an attribute's value is true, and its element has something in it.
fn is_set(rest: &[u8]) -> bool {
    let is_true =
        ["\"1\"", "'1'", "\"true\"", "'true'"].iter().any(|one| rest.starts_with(one.as_bytes()));
    let end = memchr(b'>', rest).unwrap_or(0);
    is_true && !rest[..end].ends_with(b"/")
}

/// The part that holds a sheet.
fn part_of(workbook: &[u8], sheet: &str) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(workbook)).ok()?;
    let sheets = text(&mut archive, "xl/workbook.xml")?;
    let is_sheet = |tag: &BytesStart<'_>| {
        tag.local_name().as_ref() == "sheet" && attribute(tag, "name").as_deref() == Some(sheet)
    };
    let id = attribute(&find(&sheets, is_sheet)?, "id")?;
    let relations = text(&mut archive, "xl/_rels/workbook.xml.rels")?;
    let is_relation = |tag: &BytesStart<'_>| attribute(tag, "Id").as_deref() == Some(id.as_str());
    let target = attribute(&find(&relations, is_relation)?, "Target")?;
    Some(target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned))
}

fn text(archive: &mut ZipArchive<Cursor<&[u8]>>, part: &str) -> Option<String> {
    let mut text = String::new();
    archive.by_name(part).ok()?.take(MAX_PART).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The first element of a kind.
fn find(xml: &str, is_wanted: impl Fn(&BytesStart<'_>) -> bool) -> Option<BytesStart<'static>> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) | Event::Empty(tag) if is_wanted(&tag) => {
                return Some(tag.into_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// The value of an attribute, in whatever namespace.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes().flatten();
    let found = attributes.find(|one| one.key.local_name().as_ref() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::Counter;

    fn rows(xml: &str, piece: usize) -> u64 {
        let mut counter = Counter::default();
        xml.as_bytes().chunks(piece).for_each(|piece| counter.take(piece));
        counter.rows
    }

    #[test]
    fn f_311_hidden_rows_are_counted_wherever_a_piece_ends() {
        let sheet = "<cols><col min=\"1\" hidden=\"1\"/></cols><row r=\"1\"><c/></row>\
             <row r=\"2\" hidden=\"1\"><c><v>1</v></c></row><row r=\"3\" hidden=\"0\"><c/></row>\
             <row r=\"4\" hidden=\"1\"/><x:row hidden='true' r='5'><c> hidden=\"1\"</c></x:row>";
        for piece in 1..sheet.len() {
            assert_eq!(rows(sheet, piece), 2, "{piece}");
        }
        assert_eq!(rows(&format!("<row {}", "x".repeat(100_000)), 1_000), 0);
    }
}
