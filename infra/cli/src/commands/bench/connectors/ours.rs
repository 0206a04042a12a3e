//! One file, mapped in this process: the reader that `call_connector` uses, on bytes from a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use countersign_connector::Records;
use countersign_formats::{Limits, Reader, Stop};
use serde_json::Value;

use super::Mapped;
use crate::console::Console;
use crate::error::CliError;

/// Maps one file and says how long it took; `bench connectors` starts it.
#[derive(Debug, Args)]
pub(crate) struct MapFile {
    connector: PathBuf,
    endpoint: String,
    file: PathBuf,
    /// Where the records go as JSON Lines.
    #[arg(long, value_name = "FILE")]
    json_lines: Option<PathBuf>,
}

impl MapFile {
    pub(crate) fn run(&self, console: &Console) -> Result<(), CliError> {
        let reader = reader(&self.connector, &self.endpoint)?;
        let doing = |source| CliError::io(format!("reading `{}`", self.file.display()), source);
        let started = Instant::now();
        let file = File::open(&self.file).map_err(doing)?;
        let found = reader
            .read(file, &Limits::for_megabytes(64), &Stop::default())
            .map_err(|error| CliError::Found(error.to_string()))?;
        if let Some(place) = &self.json_lines {
            let doing = |source| CliError::io(format!("writing `{}`", place.display()), source);
            let out = BufWriter::with_capacity(1 << 16, File::create(place).map_err(doing)?);
            write_lines(&found.records, out).map_err(doing)?;
        }
        let seconds = started.elapsed().as_secs_f64();
        let record = |index| found.records.get(index).map_or(Value::Null, Value::Object);
        let peak_mb = super::super::cold_start::peak_megabytes(std::process::id());
        let mapped = Mapped {
            rows: found.records.len() as u64,
            seconds,
            peak_mb,
            first: record(0),
            last: record(found.records.len().saturating_sub(1)),
        };
        console.line(serde_json::to_string(&mapped).unwrap_or_default());
        Ok(())
    }
}

/// One record a line.
fn write_lines(records: &Records, mut out: impl Write) -> std::io::Result<()> {
    for record in records.iter() {
        serde_json::to_writer(&mut out, &record)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The reader of one endpoint of a connector in a file.
pub(super) fn reader(connector: &Path, endpoint: &str) -> Result<Reader, CliError> {
    let definition = super::rules::definition(connector)?;
    let found = definition.endpoints.get(endpoint);
    found.and_then(|endpoint| Reader::of(&endpoint.operation)).ok_or_else(|| {
        CliError::Argument(format!("the connector has no endpoint `{endpoint}` that reads files"))
    })
}
