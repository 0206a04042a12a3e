//! The text of PDFs, page by page.
//!
//! The library underneath panics on much that is unusual and knows no bounds. So what is packed in the file is counted
//! before it is opened, forms that draw themselves or each other too often are refused, each page is read on its own,
//! and all of it runs on a thread that the caller can leave; while one goes on that was left, no other is started.

mod desk;
mod guard;
mod packed;

use std::fmt;
use std::io::Read;

use countersign_connector::{PdfRecords, PdfRules, Records};
use pdf_extract::{ConvertToFmt, Document, PlainTextOutput, output_doc_page};
use serde_json::{Map, Value};

use crate::Extraction;
use crate::error::FormatError;
use crate::limits::{Limits, Stop};
use crate::pick::note;
use crate::table::size_of;
use crate::whole;
use desk::Desk;

const FORMAT: &str = "PDF";
static DESK: Desk = Desk::new();

pub(crate) fn read(
    rules: &PdfRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let bytes = whole::bytes(source, limits.max_bytes)?;
    guard::look_at(&bytes, limits, stop)?;
    let (kind, limits, inner) = (rules.records, *limits, stop.clone());
    let work = move || whole::guarded(|| document(kind, &bytes, &limits, &inner));
    DESK.run(work, stop)?.unwrap_or_else(|| Err(malformed("the document", DAMAGED)))
}

const DAMAGED: &str = "it is damaged, or made in a way that is not understood";

fn malformed(place: impl Into<String>, problem: impl Into<String>) -> FormatError {
    FormatError::Malformed { format: FORMAT, place: place.into(), problem: problem.into() }
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
        let mut text = Text { held: String::new(), room: limits.max_kept_bytes - kept_bytes, stop };
        let read = whole::guarded(|| text_of(&document, page, &mut text)).flatten();
        if text.held.len() as u64 > text.room {
            let (what, limit) = ("bytes of text", limits.max_kept_bytes);
            return Err(FormatError::Limit { place: format!("page {page}"), what, limit });
        }
        match read {
            Some(text) => {
                if text.is_empty() {
                    note(&mut out, format!("page {page} has no text: it may be a picture"));
                }
                let record = record(page, text);
                kept_bytes += size_of(&record);
                texts.push(record);
            }
            None => {
                failed += 1;
                note(&mut out, format!("page {page} is left out: {DAMAGED}"));
            }
        }
        if kept_bytes > limits.max_kept_bytes {
            let (what, limit) = ("bytes of text", limits.max_kept_bytes);
            return Err(FormatError::Limit { place: format!("page {page}"), what, limit });
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

/// The text of one page; `None` when the library gives up.
fn text_of(document: &Document, page: u32, text: &mut Text<'_>) -> Option<String> {
    output_doc_page(document, &mut PlainTextOutput::new(&mut *text), page).ok()?;
    let lines: Vec<&str> = text.held.lines().map(str::trim_end).collect();
    Some(lines.join("\n").trim().to_owned())
}

/// Takes text until it is too much or nobody waits for it: a form that is drawn often is little in the file and much here.
struct Text<'s> {
    held: String,
    room: u64,
    stop: &'s Stop,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.held.push_str(text);
        let full = self.held.len() as u64 > self.room || self.stop.is_set();
        if full { Err(fmt::Error) } else { Ok(()) }
    }
}

impl ConvertToFmt for &mut Text<'_> {
    type Writer = Self;

    fn convert(self) -> Self::Writer {
        self
    }
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
