//! Real children: what they read, what ends them, and that hostile documents harm nobody else.

#![expect(clippy::unwrap_used, reason = "a test that cannot start a child shall say where")]

mod bombs;
mod ends;
mod made;
mod same;

use std::ffi::OsString;
use std::time::Duration;

use countersign_connector::{FileBody, SourceError, SourceFuture, parse};
use countersign_formats::{Extraction, FormatError, Limits, Reader};
use countersign_reader::{Bounds, Readers};
use tokio::time::Instant;

/// Long enough for any document that is read at all, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// Readers whose children are the program of this crate.
fn children(bounds: Bounds) -> Readers {
    Readers::with_program(env!("CARGO_BIN_EXE_countersign-reader-child").into(), Vec::new(), bounds)
}

/// Readers whose children are this script.
fn script(script: &str) -> Readers {
    let arguments = ["-c", script].map(OsString::from).to_vec();
    Readers::with_program("/bin/sh".into(), arguments, Bounds::default())
}

/// The reader of an endpoint that is written as these lines.
fn reader(endpoint: &str) -> Reader {
    let indented: String = endpoint.lines().map(|line| format!("    {line}\n")).collect();
    let yaml = format!(
        "id: files\nname: Files\ntype: file_parser\nversion: 1.0.0\nconnection: {{ source: upload }}\nendpoints:\n  read:\n    description: reads\n{indented}"
    );
    let parsed = parse(&yaml);
    let definition = parsed.definition.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
    Reader::of(&definition.endpoints["read"].operation).unwrap()
}

/// A file that arrives in pieces; it may break off, or never end.
struct Arriving<'f> {
    pieces: Box<dyn Iterator<Item = Vec<u8>> + Send + 'f>,
    breaks: bool,
}

impl<'f> Arriving<'f> {
    fn of(bytes: &'f [u8]) -> Self {
        Self { pieces: Box::new(bytes.chunks(10_000).map(<[u8]>::to_vec)), breaks: false }
    }
}

impl FileBody for Arriving<'_> {
    fn next(&mut self) -> SourceFuture<'_, Option<Vec<u8>>> {
        let piece = self.pieces.next();
        let breaks = self.breaks && piece.is_none();
        Box::pin(async move { if breaks { Err(Box::new(Gone) as SourceError) } else { Ok(piece) } })
    }
}

#[derive(Debug)]
struct Gone;

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bucket went away")
    }
}

impl std::error::Error for Gone {}

impl countersign_failure::Failure for Gone {
    fn code(&self) -> &'static str {
        "FILE_SOURCE"
    }
}

/// Reads a file of up to 50 megabytes.
async fn read(
    readers: &Readers,
    endpoint: &str,
    bytes: &[u8],
    patience: Duration,
) -> Result<Extraction, FormatError> {
    let deadline = Instant::now() + patience;
    let mut body = Arriving::of(bytes);
    readers.file(&reader(endpoint), Limits::for_megabytes(50), &mut body, deadline).await
}
