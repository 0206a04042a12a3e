//! `countersign bench connectors`: how fast files become records, beside Python doing the same mapping.

mod generate;
mod ours;
mod rules;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Figure, Figures};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Place, peers};
pub(super) use ours::MapFile;

#[derive(Debug, Args)]
pub(crate) struct Connectors {
    /// How often each side maps each file, in a process of its own; the median counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    samples: u16,
}

/// A file, the endpoint that maps it, and what is expected.
struct Measured {
    name: &'static str,
    file: PathBuf,
    connector: PathBuf,
    endpoint: &'static str,
    /// The library of the peer that is compared with.
    peer: &'static str,
    /// Another that is printed beside it.
    beside: Option<&'static str>,
    /// Where both sides write JSON Lines, as a part of what is measured.
    json_lines: Option<PathBuf>,
    goals: Goals,
}

/// What is expected of a comparison.
#[derive(Clone, Copy)]
struct Goals {
    /// How much faster than the peer.
    faster: f64,
    /// How much of the peer's memory.
    memory: Option<f64>,
}

/// What one process did.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Mapped {
    rows: u64,
    seconds: f64,
    peak_mb: f64,
    /// The first and the last record, to see that both sides do the same.
    first: Value,
    last: Value,
}

impl Connectors {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        if cfg!(debug_assertions) {
            let message = "this measures nothing unless it is built with `--release`".to_owned();
            return Err(CliError::Argument(message));
        }
        let (project, state) = (place.project()?, place.state()?);
        let python = peers(&project, &state, console).await?;
        let script = project.join("infra/local/connectors_peer.py");
        let subjects = subjects(&project, &state.join("bench-connectors"))?;
        let mut figures = Vec::new();
        for subject in &subjects {
            let step = console.step(subject.name);
            let ours = median(self.samples, || ours(subject))?;
            let mapping = rules::of(&subject.connector, subject.endpoint)?.to_string();
            let peers = Peers { python: &python, script: &script, mapping: &mapping };
            step.detail(subject.peer);
            let peer = median(self.samples, || peers.map(subject, subject.peer))?;
            same(subject, &ours, &peer)?;
            let mut found = rows(subject, &ours, &peer);
            if let Some(beside) = subject.beside {
                step.detail(beside);
                let other = median(self.samples, || peers.map(subject, beside))?;
                same(subject, &ours, &other)?;
                found.push(printed(subject, &ours, (beside, &other)));
            }
            step.done(&format!(
                "{}: {} rows, {} times each",
                subject.name, ours.rows, self.samples
            ));
            figures.extend(found);
        }
        Ok(figures)
    }
}

/// Makes the files, unless they are there.
fn subjects(project: &Path, folder: &Path) -> Result<[Measured; 3], CliError> {
    let doing = |source| CliError::io("making the files of the benchmark", source);
    fs::create_dir_all(folder).map_err(doing)?;
    let make = |name: &str, write: fn(BufWriter<File>) -> std::io::Result<()>| {
        let file = folder.join(name);
        File::create(&file).and_then(|out| write(BufWriter::new(out))).map_err(doing)?;
        Ok(file)
    };
    let connector = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).map_err(doing)?;
        Ok(file)
    };
    Ok([
        Measured {
            name: "XML filing of 10 MB",
            file: make("filing.xml", generate::filing)?,
            connector: project.join("library/connectors/irs-990-xml.yaml"),
            endpoint: "parse_990_grants",
            peer: "lxml",
            beside: None,
            json_lines: None,
            goals: Goals { faster: 10.0, memory: Some(0.25) },
        },
        Measured {
            name: "JSON body of 50 MB",
            file: make("body.json", generate::body)?,
            connector: connector("body.yaml", generate::BODY_CONNECTOR)?,
            endpoint: "contributions",
            peer: "orjson",
            beside: None,
            json_lines: None,
            goals: Goals { faster: 4.0, memory: Some(0.1) },
        },
        Measured {
            name: "CSV of 100,000 records to JSON Lines",
            file: make("gifts.csv", generate::gifts)?,
            connector: connector("gifts.yaml", generate::GIFTS_CONNECTOR)?,
            endpoint: "gifts",
            peer: "csv",
            beside: Some("polars"),
            json_lines: Some(folder.join("gifts.jsonl")),
            goals: Goals { faster: 3.0, memory: None },
        },
    ])
}

/// This program once more, so that its memory is its own.
fn ours(subject: &Measured) -> Result<Mapped, CliError> {
    let program = std::env::current_exe()
        .map_err(|source| CliError::io("looking for this program", source))?;
    let mut command = Command::new(program);
    command.args(["bench", "map-file"]).arg(&subject.connector).arg(subject.endpoint);
    if let Some(place) = &subject.json_lines {
        command.arg("--json-lines").arg(place);
    }
    said(command.arg(&subject.file))
}

/// Python with a library, mapping as our rules say.
struct Peers<'a> {
    python: &'a Path,
    script: &'a Path,
    mapping: &'a str,
}

impl Peers<'_> {
    fn map(&self, subject: &Measured, library: &str) -> Result<Mapped, CliError> {
        let mut command = Command::new(self.python);
        command.arg(self.script).arg(self.mapping).arg(&subject.file).arg(library);
        said(command.args(&subject.json_lines))
    }
}

fn said(command: &mut Command) -> Result<Mapped, CliError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| CliError::io("running a side of the benchmark", source))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(CliError::Found(format!("a side of the benchmark failed: {text}")));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| CliError::Found(error.to_string()))
}

/// The run of middle duration, with the middle of the peaks.
fn median(samples: u16, run: impl Fn() -> Result<Mapped, CliError>) -> Result<Mapped, CliError> {
    let mut runs: Vec<Mapped> = (0..samples).map(|_| run()).collect::<Result<_, _>>()?;
    let middle = runs.len() / 2;
    runs.sort_by(|a, b| a.peak_mb.total_cmp(&b.peak_mb));
    let peak_mb = runs[middle].peak_mb;
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(Mapped { peak_mb, ..runs.swap_remove(middle) })
}

/// Both sides must have done the same work.
fn same(subject: &Measured, ours: &Mapped, peer: &Mapped) -> Result<(), CliError> {
    if (ours.rows, &ours.first, &ours.last) == (peer.rows, &peer.first, &peer.last) {
        return Ok(());
    }
    Err(CliError::Found(format!(
        "{}: the two sides do not agree: {} rows and {}, {} rows and {}",
        subject.name, ours.rows, ours.first, peer.rows, peer.first
    )))
}

fn per_second(side: &Mapped) -> f64 {
    side.rows as f64 / side.seconds
}

fn rows(subject: &Measured, ours: &Mapped, peer: &Mapped) -> Vec<Figure> {
    let Measured { name, peer: library, goals, .. } = subject;
    let mut speed =
        Figure::plain(format!("{name}: rows mapped"), per_second(ours).round(), "rows/s");
    speed.peer = Some(format!("{:.0} ({library})", per_second(peer)));
    let mut memory = Figure::plain(format!("{name}: peak memory"), ours.peak_mb, "MB");
    memory.peer = Some(format!("{:.1} ({library})", peer.peak_mb));
    let faster = per_second(ours) / per_second(peer);
    let (share, said) = (ours.peak_mb / peer.peak_mb, format!("{name}: share of its memory"));
    let share = match goals.memory {
        Some(goal) => Figure::at_most(said, share, "×", goal),
        None => Figure::plain(said, share, "×"),
    };
    let faster =
        Figure::at_least(format!("{name}: times as fast as {library}"), faster, "×", goals.faster);
    vec![speed, faster, memory, share]
}

/// A library that is no measure of ours: it converts whole columns with all processors, and holds no records.
fn printed(subject: &Measured, ours: &Mapped, (library, other): (&str, &Mapped)) -> Figure {
    let faster = per_second(ours) / per_second(other);
    let mut figure =
        Figure::plain(format!("{}: times as fast as {library}", subject.name), faster, "×");
    figure.peer = Some(format!("{:.0} rows/s, {:.1} MB", per_second(other), other.peak_mb));
    figure
}

#[cfg(test)]
mod tests {
    use super::{Goals, Mapped, Measured, generate, median, ours, rows, rules};
    use countersign_formats::{Limits, Reader, Stop};
    use serde_json::{Value, json};

    #[test]
    fn the_middle_run_counts() {
        let runs = std::cell::RefCell::new(vec![(3.0, 10.0), (1.0, 30.0), (2.0, 20.0)]);
        let run = || {
            let (seconds, peak_mb) = runs.borrow_mut().pop().unwrap();
            Ok(Mapped { rows: 1, seconds, peak_mb, first: Value::Null, last: Value::Null })
        };
        let middle = median(3, run).unwrap();
        assert_eq!((middle.seconds, middle.peak_mb), (2.0, 20.0));
    }

    #[test]
    fn ratios_hold_or_do_not() {
        let side = |seconds, peak_mb| Mapped {
            rows: 100,
            seconds,
            peak_mb,
            first: Value::Null,
            last: Value::Null,
        };
        let subject = Measured {
            name: "file",
            file: "file".into(),
            connector: "file.yaml".into(),
            endpoint: "all",
            peer: "lxml",
            beside: None,
            json_lines: None,
            goals: Goals { faster: 10.0, memory: Some(0.25) },
        };
        let figures = rows(&subject, &side(1.0, 10.0), &side(9.0, 50.0));
        let holds: Vec<_> = figures.iter().map(|figure| figure.holds).collect();
        assert_eq!(holds, [None, Some(false), None, Some(true)]);
    }

    #[test]
    fn the_connector_of_the_body_maps_every_row_of_it() {
        let definition = countersign_connector::parse(generate::BODY_CONNECTOR).definition.unwrap();
        let reader = Reader::of(&definition.endpoints["contributions"].operation).unwrap();
        let mut body = Vec::new();
        generate::rows(&mut body, 3).unwrap();
        let found = reader.read(&body[..], &Limits::for_megabytes(1), &Stop::default()).unwrap();
        assert_eq!(found.warnings, []);
        assert_eq!(found.records.len(), 3);
        for record in found.records {
            assert!(record.values().all(|value| !value.is_null()), "{record:?}");
        }
    }

    #[test]
    fn the_connector_of_the_gifts_maps_every_row_of_them() {
        let definition =
            countersign_connector::parse(generate::GIFTS_CONNECTOR).definition.unwrap();
        let reader = Reader::of(&definition.endpoints["gifts"].operation).unwrap();
        let mut table = Vec::new();
        generate::gift_rows(&mut table, 3).unwrap();
        let found = reader.read(&table[..], &Limits::for_megabytes(1), &Stop::default()).unwrap();
        assert_eq!(found.warnings, []);
        assert_eq!(found.records.len(), 3);
        for record in found.records {
            assert!(record.values().all(|value| !value.is_null()), "{record:?}");
        }
    }

    #[test]
    fn the_peer_is_told_every_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("body.yaml");
        std::fs::write(&file, generate::BODY_CONNECTOR).unwrap();
        let mapping = rules::of(&file, "contributions").unwrap();
        assert_eq!(mapping["kind"], "json");
        assert_eq!(mapping["list"], json!(["results"]));
        assert_eq!(mapping["fields"][0]["field"], "donor_name");
        assert!(ours::reader(&file, "nothing").is_err());
    }
}
