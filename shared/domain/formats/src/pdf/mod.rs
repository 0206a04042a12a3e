//! The text of PDFs, page by page.
//!
//! The library underneath panics on much that is unusual and knows no bounds. So what is packed in the file is counted
//! before it is opened, forms that draw themselves or each other too often are refused, each page is read on its own,
//! and all of it runs on a thread with room for the library's recursion.

mod guard;
mod packed;

use std::fmt;
use std::io::Read;

use countersign_connector::{PdfRecords, PdfRules, Records};
use pdf_extract::{ConvertToFmt, Document, PlainTextOutput, output_doc_page};
use serde_json::{Map, Value};

use crate::Extraction;
use crate::error::{DAMAGED, FormatError};
use crate::limits::{Limits, Stop};
use crate::table::size_of;
use crate::warnings::note_or_count;
use crate::whole;

const FORMAT: &str = "PDF";
/// Room for the library's recursion.
const STACK: usize = 64 * 1024 * 1024;

pub(crate) fn read(
    rules: &PdfRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let bytes = whole::bytes(source, limits.max_bytes)?;
    guard::look_at(&bytes, limits, stop)?;
    let work = || document(rules.records, &bytes, limits, stop);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("pdf".to_owned()).stack_size(STACK);
        let thread = thread
            .spawn_scoped(scope, work)
            .map_err(|error| FormatError::Reader(error.to_string()))?;
        // A library that panics has met something that it did not expect of a PDF.
        thread.join().unwrap_or_else(|_| Err(malformed("the document", DAMAGED)))
    })
}

fn malformed(place: impl Into<String>, problem: impl Into<String>) -> FormatError {
    FormatError::malformed(FORMAT, place, problem)
}

fn document(
    kind: PdfRecords,
    bytes: &[u8],
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let document = guard::open(bytes, limits)?;
    let pages = guard::pages(&document, limits)?;
    if pages == 0 {
        return Err(malformed("the document", "it has no pages"));
    }
    let mut out = Extraction::default();
    let mut texts: Vec<Map<String, Value>> = Vec::new();
    let (mut kept_bytes, mut failed) = (0, 0);
    for page in 1..=pages {
        stop.check()?;
        let mut written = Written::new(limits.max_kept_bytes.saturating_sub(kept_bytes), stop);
        let read = whole::guarded(|| text_of(&document, page, &mut written)).flatten();
        stop.check()?;
        if written.is_full {
            return Err(too_much_text(page, limits));
        }
        match read {
            Some(text) => {
                if text.is_empty() {
                    note_or_count(
                        &mut out,
                        format!("page {page} has no text: it may be a picture"),
                    );
                }
                let record = record(page, text);
                kept_bytes += size_of(&record);
                texts.push(record);
            }
            None => {
                failed += 1;
                note_or_count(&mut out, format!("page {page} is left out: {DAMAGED}"));
            }
        }
        if kept_bytes > limits.max_kept_bytes {
            return Err(too_much_text(page, limits));
        }
    }
    if failed == pages {
        return Err(malformed("page 1", DAMAGED));
    }
    out.records = Records::Whole(match kind {
        PdfRecords::Page => texts,
        PdfRecords::Document => vec![joined(pages, &texts)],
    });
    Ok(out)
}

fn too_much_text(page: u32, limits: &Limits) -> FormatError {
    let (what, limit) = ("bytes of text", limits.max_kept_bytes);
    FormatError::Limit { place: format!("page {page}"), what: what.into(), limit }
}

/// What the library writes of a page. A form with much text, drawn often, would write more than there is memory.
struct Written<'s> {
    text: String,
    most: u64,
    stop: &'s Stop,
    is_full: bool,
}

impl<'s> Written<'s> {
    fn new(most: u64, stop: &'s Stop) -> Self {
        Self { text: String::new(), most, stop, is_full: false }
    }
}

impl fmt::Write for Written<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.is_full |= (self.text.len() + text.len()) as u64 > self.most;
        if self.is_full || self.stop.is_set() {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl<'w, 's> ConvertToFmt for &'w mut Written<'s> {
    type Writer = &'w mut Written<'s>;

    fn convert(self) -> Self::Writer {
        self
    }
}

/// The text of one page; `None` when the library gives up.
fn text_of(document: &Document, page: u32, written: &mut Written<'_>) -> Option<String> {
    output_doc_page(document, &mut PlainTextOutput::new(&mut *written), page).ok()?;
    let lines: Vec<&str> = written.text.lines().map(str::trim_end).collect();
    Some(lines.join("\n").trim().to_owned())
}

fn record(page: u32, text: String) -> Map<String, Value> {
    let text = if text.is_empty() { Value::Null } else { Value::String(text) };
    [("page".to_owned(), Value::from(page)), ("text".to_owned(), text)].into_iter().collect()
}

fn joined(pages: u32, records: &[Map<String, Value>]) -> Map<String, Value> {
    let texts: Vec<&str> =
        records.iter().filter_map(|record| record.get("text")?.as_str()).collect();
    let text = if texts.is_empty() { Value::Null } else { Value::from(texts.join("\n\n")) };
    [("pages".to_owned(), Value::from(pages)), ("text".to_owned(), text)].into_iter().collect()
}
