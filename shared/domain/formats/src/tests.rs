//! Files of every format: as they are, as they vary, and as they should not be.

mod bombs;
mod csv;
mod csv_delimiter;
mod csv_quotes;
mod fuzz;
mod html;
mod json;
mod json_digits;
mod json_lines;
mod merged;
mod pdf;
mod xlsx;

use std::io::Read;

use countersign_connector::Operation;
use countersign_failure::Failure;
use serde_json::{Map, Value};

use crate::{Extraction, FormatError, Limits, Reader, Stop};

/// The reader of an endpoint that is written as these lines.
pub(crate) fn reader(endpoint: &str) -> Reader {
    let indented: String = endpoint.lines().map(|line| format!("    {line}\n")).collect();
    let yaml = format!(
        "id: files\nname: Files\ntype: file_parser\nversion: 1.0.0\nconnection: {{ source: upload }}\nendpoints:\n  read:\n    description: reads\n{indented}"
    );
    let parsed = countersign_connector::parse(&yaml);
    let definition = parsed.definition.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
    let operation: &Operation = &definition.endpoints["read"].operation;
    Reader::of(operation).unwrap()
}

/// What a file held, with its records as they are handed on.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) records: Vec<Map<String, Value>>,
    pub(crate) warnings: Vec<crate::Warning>,
}

impl From<Extraction> for Found {
    fn from(found: Extraction) -> Self {
        Self { records: found.records.into_iter().collect(), warnings: found.warnings }
    }
}

pub(crate) fn read(endpoint: &str, bytes: &[u8]) -> Result<Found, FormatError> {
    let limits = Limits::for_megabytes(50);
    reader(endpoint).read(bytes, &limits, &Stop::default()).map(Found::from)
}

/// Checks the records of a file.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
pub(crate) fn check(endpoint: &str, bytes: &[u8], expect: Value) -> Found {
    let found = read(endpoint, bytes).unwrap();
    let records: Vec<Value> = found.records.iter().cloned().map(Value::Object).collect();
    assert_eq!(Value::from(records), expect, "{:?}", found.warnings);
    found
}

/// Checks the code of a file that cannot be read, and a part of what is said.
#[track_caller]
pub(crate) fn check_error(endpoint: &str, bytes: &[u8], code: &str, part: &str) {
    let error = read(endpoint, bytes).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

/// Gives a beginning, a piece many times, and an end: a file of any size that is never in memory.
pub(crate) struct Endless<'b> {
    pub(crate) head: &'b [u8],
    pub(crate) piece: &'b [u8],
    pub(crate) count: usize,
    pub(crate) tail: &'b [u8],
    at: usize,
}

impl<'b> Endless<'b> {
    pub(crate) fn new(head: &'b [u8], piece: &'b [u8], count: usize, tail: &'b [u8]) -> Self {
        Self { head, piece, count, tail, at: 0 }
    }
}

impl Read for Endless<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let middle = self.head.len() + self.piece.len() * self.count;
        let rest = if self.at < self.head.len() {
            &self.head[self.at..]
        } else if self.at < middle {
            &self.piece[(self.at - self.head.len()) % self.piece.len()..]
        } else {
            &self.tail[(self.at - middle).min(self.tail.len())..]
        };
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

/// Gives its bytes in pieces of one size.
pub(crate) struct Pieces<'b>(pub(crate) &'b [u8], pub(crate) usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn f_099_xml_is_read_as_before() {
    let endpoint = "root_element: a\nlist_element: b\nfields:\n  - { field: num, xpath: '@n', type: integer }\n";
    let found = read(endpoint, b"<a><b n='1'/><b n='x'/></a>").unwrap();
    assert_eq!(found.records[0]["num"], 1);
    assert_eq!((found.warnings[0].record, found.warnings[0].field.as_str()), (Some(1), "num"));
    check_error(endpoint, b"<a><b>", "FILE_TRUNCATED", "line 1");
}

#[test]
fn f_099_a_source_that_fails_can_be_tried_again() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the line is cut"))
        }
    }
    for endpoint in [
        "parser: csv",
        "parser: json",
        "parser: jsonl",
        "parser: xlsx",
        "parser: html_table",
        "parser: pdf_text",
    ] {
        let error =
            reader(endpoint).read(Broken, &Limits::for_megabytes(1), &Stop::default()).unwrap_err();
        assert_eq!(
            (error.code(), error.class()),
            ("FILE_SOURCE", countersign_failure::Class::Retryable),
            "{endpoint}"
        );
    }
}

#[test]
fn f_099_every_reader_refuses_the_empty_and_the_too_large() {
    for endpoint in [
        "parser: csv",
        "parser: json",
        "parser: jsonl",
        "parser: xlsx",
        "parser: html_table",
        "parser: pdf_text",
    ] {
        check_error(endpoint, b"", "FILE_EMPTY", "empty");
        // What begins like a workbook is no CSV, however long it is.
        let head: &[u8] = if endpoint == "parser: csv" { b"a\n" } else { b"PK\x03\x04 %PDF-1.7 " };
        let file = Endless::new(head, b"[\"0123456789\"]\n", 200_000, b"");
        let error =
            reader(endpoint).read(file, &Limits::for_megabytes(1), &Stop::default()).unwrap_err();
        // JSON ends its first document long before the end of the file.
        let code = if endpoint == "parser: json" { "FILE_MALFORMED" } else { "FILE_TOO_LARGE" };
        assert_eq!(error.code(), code, "{endpoint}: {error}");
    }
}

#[test]
fn f_099_a_reader_stops_when_nobody_waits() {
    let stop = Stop::default();
    stop.now();
    for (endpoint, bytes) in
        [("parser: csv", &b"a\n1\n"[..]), ("parser: json", b"[1]"), ("parser: jsonl", b"{}\n")]
    {
        let error = reader(endpoint).read(bytes, &Limits::for_megabytes(1), &stop).unwrap_err();
        assert_eq!(error, FormatError::Time, "{endpoint}");
    }
}
