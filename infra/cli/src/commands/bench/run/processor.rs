//! Processor time and memory of a reversible step over 100 rows, beside the same steps in LangGraph with its SQLite
//! checkpointer.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::Figure;
use super::super::cold_start::peak_megabytes;
use super::Bench;
use super::chain::STEPS;
use super::processes::{of_function, processor_time};
use super::spread::spread;
use crate::commands::FACTORY;
use crate::console::Console;
use crate::error::CliError;

/// How many pairs are measured, one side after the other.
const PAIRS: usize = 5;
/// Runs of ten steps per measurement: the system counts processor time in ticks of 10 ms.
const RUNS: usize = 20;
const ROWS: usize = 100;
const FUNCTION: &str = "tool-data";

const GOAL_MS: f64 = 1.5;
/// The most of the peer's memory.
const GOAL_MEMORY: f64 = 0.2;

/// What a side used for [`RUNS`] runs of [`STEPS`] steps.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// Milliseconds of processor time per step.
    step_ms: f64,
    peak_mb: f64,
}

/// The other side.
pub(super) struct Peer {
    pub(super) python: PathBuf,
    pub(super) script: PathBuf,
    /// Where its checkpoints are written.
    pub(super) folder: PathBuf,
}

/// Measures the pairs; the first runs of both sides warm up and are not counted.
pub(super) async fn figures(
    bench: &Bench<'_>,
    peer: &Peer,
    console: &Console,
) -> Result<Vec<Figure>, CliError> {
    let step = console.step("measuring the processor time of steps");
    let rows = rows();
    let id = format!("bench-rows-{}", uuid::Uuid::now_v7().simple());
    let yaml = playbook(&id);
    bench.owner.post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": yaml })).await?;
    let sorted = run(bench, &id, &rows).await?;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        step.detail(&format!("pair {} of {PAIRS}", pair + 1));
        let ours = ours(bench, &id, &rows).await?;
        pairs.push([ours, peer.used(&rows, &sorted, pair)?]);
    }
    step.done(&format!("{PAIRS} pairs of {RUNS} runs of {STEPS} steps are measured"));
    Ok(table(&pairs))
}

/// The rows that every step sorts by their amount, now up and now down.
fn rows() -> Value {
    let row = |nth: usize| {
        let (name, state) = (format!("Organisation {nth}"), ["NY", "CA", "TX"][nth % 3]);
        json!({ "id": nth, "name": name, "state": state, "amount": nth * 7919 % 1000 })
    };
    (0..ROWS).map(row).collect()
}

fn playbook(id: &str) -> String {
    let mut yaml = format!(
        "id: {id}\nname: Bench\ndescription: A chain of steps over rows.\nversion: 1.0.0\nexecution_mode: deterministic\ninputs:\n  - {{name: rows, type: list, required: true}}\nsteps:\n"
    );
    for n in 0..STEPS {
        let data = if n == 0 { "{rows}".to_owned() } else { format!("{{s{}.data}}", n - 1) };
        let direction = if n % 2 == 0 { "desc" } else { "asc" };
        yaml.push_str(&format!(
            "  - {{name: s{n}, step_type: tool, action: transform_data, inputs: {{data: \"{data}\"}}, operations: [{{type: sort, field: amount, direction: {direction}}}]}}\n"
        ));
    }
    yaml
}

/// One run; returns the rows of its last step.
async fn run(bench: &Bench<'_>, playbook: &str, rows: &Value) -> Result<Value, CliError> {
    let run = bench.start(playbook, &json!({ "rows": rows })).await?;
    bench.reaches_within(&run, "complete", Duration::from_millis(25)).await?;
    let last = format!("{FACTORY}/executions/{run}/outputs/s{}", STEPS - 1);
    Ok(bench.owner.get(&last).await?["output"]["data"].take())
}

async fn ours(bench: &Bench<'_>, playbook: &str, rows: &Value) -> Result<Used, CliError> {
    let function = format!("{}-{FUNCTION}", bench.logs.stack.name);
    let before = of_function(&function);
    let used = |processes: &[u32]| {
        processes.iter().map(|process| processor_time(*process)).sum::<Result<Duration, _>>()
    };
    let began = used(&before)?;
    for _ in 0..RUNS {
        run(bench, playbook, rows).await?;
    }
    let after = of_function(&function);
    if before != after || after.is_empty() {
        let what = "the function's processes changed while it was measured".to_owned();
        return Err(CliError::Found(what));
    }
    let peak_mb = after.iter().map(|process| peak_megabytes(*process)).fold(0.0, f64::max);
    Ok(Used { step_ms: per_step(used(&after)?.saturating_sub(began)), peak_mb })
}

fn per_step(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0 / (RUNS * STEPS) as f64
}

/// What the peer says of itself.
#[derive(Debug, Deserialize)]
struct Said {
    seconds: f64,
    peak_mb: f64,
    rows: Value,
}

impl Peer {
    fn used(&self, rows: &Value, expect: &Value, nth: usize) -> Result<Used, CliError> {
        let doing = |source| CliError::io("running LangGraph", source);
        let file = self.folder.join(format!("langgraph-{nth}.sqlite"));
        std::fs::create_dir_all(&self.folder).map_err(doing)?;
        remove(&file)?;
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args([RUNS.to_string(), STEPS.to_string()]).arg(&file);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(doing)?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(rows.to_string().as_bytes()).map_err(doing)?;
        }
        let output = child.wait_with_output().map_err(doing)?;
        remove(&file)?;
        let said = said(&output)?;
        if said.rows != *expect {
            let what = "the two sides do not agree about the rows of the last step".to_owned();
            return Err(CliError::Found(what));
        }
        let step_ms = per_step(Duration::from_secs_f64(said.seconds));
        Ok(Used { step_ms, peak_mb: said.peak_mb })
    }
}

fn said(output: &std::process::Output) -> Result<Said, CliError> {
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let reason = text.trim().lines().last().unwrap_or("it said nothing").to_owned();
        return Err(CliError::Found(format!("LangGraph's side failed: {reason}")));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| CliError::Found(error.to_string()))
}

fn remove(file: &Path) -> Result<(), CliError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CliError::io("removing the checkpoints of LangGraph", error))
        }
        _ => Ok(()),
    }
}

fn table(pairs: &[[Used; 2]]) -> Vec<Figure> {
    let ours = spread(pairs.iter().map(|[ours, _]| ours.step_ms));
    let peer = spread(pairs.iter().map(|[_, peer]| peer.step_ms));
    let ratio = spread(pairs.iter().map(|[ours, peer]| ours.step_ms / peer.step_ms));
    let memory = spread(pairs.iter().map(|[ours, _]| ours.peak_mb));
    let of_peer = spread(pairs.iter().map(|[_, peer]| peer.peak_mb));
    let share = spread(pairs.iter().map(|[ours, peer]| ours.peak_mb / peer.peak_mb));
    let row = |figure: Figure, peer: String| Figure { peer: Some(peer), ..figure };
    let time = format!("own processor time per reversible step, {ROWS} rows, {}", ours.range(2));
    vec![
        row(
            Figure::at_most(time, ours.median, "ms", GOAL_MS),
            format!("LangGraph {:.2}, {}", peer.median, peer.range(2)),
        ),
        Figure::at_most(
            format!("share of LangGraph's processor time, {}", ratio.range(2)),
            ratio.median,
            "×",
            1.0,
        ),
        row(
            Figure::plain(
                format!("peak memory of {FUNCTION}, {}", memory.range(1)),
                memory.median,
                "MB",
            ),
            format!("LangGraph {:.1}, {}", of_peer.median, of_peer.range(1)),
        ),
        Figure::at_most(
            format!("share of LangGraph's memory, {}", share.range(2)),
            share.median,
            "×",
            GOAL_MEMORY,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Used, playbook, rows, said, table};
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{ExitStatus, Output};

    fn used(step_ms: f64, peak_mb: f64) -> Used {
        Used { step_ms, peak_mb }
    }

    #[test]
    fn the_middle_pair_counts_and_the_spread_is_shown() {
        let pairs = [
            [used(1.0, 10.0), used(2.0, 100.0)],
            [used(3.0, 12.0), used(2.0, 50.0)],
            [used(1.2, 11.0), used(1.5, 80.0)],
        ];
        let figures = table(&pairs);
        let found: Vec<_> = figures.iter().map(|row| (row.value, row.holds)).collect();
        assert_eq!(found, [(1.2, Some(true)), (0.8, Some(true)), (11.0, None), (0.14, Some(true))]);
        assert!(figures[0].figure.ends_with("100 rows, 1.00 to 3.00"), "{}", figures[0].figure);
        assert_eq!(figures[0].peer.as_deref(), Some("LangGraph 2.00, 1.50 to 2.00"));
    }

    #[test]
    fn the_playbook_sorts_up_and_down() {
        let yaml = playbook("b");
        let parts = ["\"{rows}\"", "{s8.data}", "direction: desc", "direction: asc"];
        assert!(parts.iter().all(|part| yaml.contains(part)), "{yaml}");
        assert_eq!(rows().as_array().map(Vec::len), Some(100));
    }

    #[test]
    fn a_peer_that_fails_says_why() {
        let failed = Output {
            status: ExitStatus::from_raw(256),
            stdout: Vec::new(),
            stderr: b"Traceback\nModuleNotFoundError: langgraph\n".to_vec(),
        };
        let error = said(&failed).unwrap_err().to_string();
        assert!(
            error.ends_with("LangGraph's side failed: ModuleNotFoundError: langgraph"),
            "{error}"
        );
    }
}
