//! Processor time and memory of a reversible step over 100 rows, beside the same steps in LangGraph with its SQLite
//! checkpointer.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::Figures;
use super::super::langgraph::{Used, said, table};
use super::Bench;
use super::chain::{self, STEPS};
use crate::commands::FACTORY;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::piped;

/// How many pairs are measured, one side after the other.
const PAIRS: usize = 5;
/// Runs of ten steps per measurement: the system counts processor time in ticks of 10 ms.
const RUNS: usize = 20;
const ROWS: usize = 100;
const FUNCTION: &str = "tool-data";

const GOAL_MS: f64 = 1.5;

/// The other side.
pub(super) struct Peer {
    pub(super) python: PathBuf,
    pub(super) script: PathBuf,
    /// Where its checkpoints are written.
    pub(super) folder: PathBuf,
}

/// Measures the pairs; the first runs of both sides warm up and are not counted.
pub(super) async fn figures(bench: &Bench<'_>, peer: &Peer, console: &Console) -> Figures {
    let step = console.step("measuring the processor time of steps");
    let rows = rows();
    let id = bench.enter("rows", playbook).await?;
    let sorted = run(bench, &id, &rows).await?;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        step.detail(&format!("pair {} of {PAIRS}", pair + 1));
        let ours = ours(bench, &id, &rows).await?;
        pairs.push([ours, peer.used(&rows, &sorted, pair)?]);
    }
    step.done(&format!("{PAIRS} pairs of {RUNS} runs of {STEPS} steps are measured"));
    let time = format!("own processor time per reversible step, {ROWS} rows");
    Ok(table(&pairs, (&time, GOAL_MS), &format!("peak memory of {FUNCTION}")))
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
    chain::of_steps(id, "A chain of steps over rows.", STEPS, |n| {
        let direction = if n % 2 == 0 { "desc" } else { "asc" };
        format!("{{type: sort, field: amount, direction: {direction}}}")
    })
}

/// One run; returns the rows of its last step.
async fn run(bench: &Bench<'_>, playbook: &str, rows: &Value) -> Result<Value, CliError> {
    let run = bench.start(playbook, &json!({ "rows": rows })).await?;
    bench.reaches_within(&run, "complete", Duration::from_millis(25)).await?;
    let last = format!("{FACTORY}/executions/{run}/outputs/s{}", STEPS - 1);
    Ok(bench.owner.get(&last).await?["output"]["data"].take())
}

async fn ours(bench: &Bench<'_>, playbook: &str, rows: &Value) -> Result<Used, CliError> {
    let work = async || {
        for _ in 0..RUNS {
            run(bench, playbook, rows).await?;
        }
        Ok(())
    };
    Used::by(bench, &[FUNCTION], RUNS * STEPS, work).await
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
        piped(&mut command);
        let mut child = command.spawn().map_err(doing)?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(rows.to_string().as_bytes()).map_err(doing)?;
        }
        let output = child.wait_with_output().map_err(doing)?;
        remove(&file)?;
        let said: Said = said(&output)?;
        if said.rows != *expect {
            let what = "the two sides do not agree about the rows of the last step".to_owned();
            return Err(CliError::Found(what));
        }
        Ok(Used::of(Duration::from_secs_f64(said.seconds), RUNS * STEPS, said.peak_mb))
    }
}

fn remove(file: &Path) -> Result<(), CliError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CliError::io("removing the checkpoints of LangGraph", error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{playbook, rows};

    #[test]
    fn the_playbook_sorts_up_and_down() {
        let yaml = playbook("b");
        let parts = ["\"{rows}\"", "{s8.data}", "direction: desc", "direction: asc"];
        assert!(parts.iter().all(|part| yaml.contains(part)), "{yaml}");
        assert_eq!(rows().as_array().map(Vec::len), Some(100));
    }
}
