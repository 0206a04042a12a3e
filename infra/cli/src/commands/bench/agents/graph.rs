//! Processor time and memory of a graph of ten steps of models, in pairs with the same graph in LangGraph with its SQLite
//! checkpointer. Both ask the same model over HTTP, and both call a tool twice in each step.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::process::Command;

use super::super::Figures;
use super::super::langgraph::{Used, said, table};
use super::super::run::Bench;
use super::provider::ANSWER;
use crate::commands::FACTORY;
use crate::console::Console;
use crate::error::CliError;

/// Steps of the graph: four, four that use them, one that uses those, and one.
const WIDTH: usize = 4;
pub(super) const NODES: usize = 2 * WIDTH + 2;
/// Each step asks for tools in one turn, and answers in the next.
pub(super) const TURNS: usize = 2 * NODES;
pub(super) const CALLS: usize = 2 * NODES;

/// How many pairs are measured, one side after the other.
const PAIRS: usize = 3;
/// Runs per measurement: the system counts processor time in ticks of 10 ms.
const RUNS: usize = 10;
/// Runs before the first measurement: a function has as many environments as steps side by side.
const WARM_UP: usize = 3;

const FUNCTIONS: [&str; 4] = ["run-begin", "run-finish", "tool-data", "tool-model"];

const GOAL_MS: f64 = 3.0;

/// The other side.
pub(super) struct Peer {
    pub(super) python: PathBuf,
    pub(super) script: PathBuf,
    /// Where its checkpoints are written.
    pub(super) folder: PathBuf,
    /// Where the model listens.
    pub(super) port: u16,
}

/// The graph: what each step is shown of others is what it uses.
pub(super) fn playbook(id: &str) -> String {
    let agent = |name: &str, data: serde_json::Value| {
        json!({
            "name": name, "step_type": "llm_task", "action": "research_with_tools", "inputs": { "data": data },
            "params": { "tools": ["transform_data"], "system_prompt": "Name the two largest funds.", "max_rounds": 2 },
            "output_schema": { "type": "object", "fields": [{ "name": "answer", "type": "string" }] },
        })
    };
    let of = |name: &str| json!(format!("{{{name}.answer}}"));
    let first = (0..WIDTH).map(|n| agent(&format!("a{n}"), json!({ "question": "{question}" })));
    let first: Vec<_> = first.collect();
    let second = (0..WIDTH).map(|n| {
        let uses = [of(&format!("first.a{n}")), of(&format!("first.a{}", (n + 1) % WIDTH))];
        agent(&format!("b{n}"), json!({ "question": "{question}", "found": uses }))
    });
    let second: Vec<_> = second.collect();
    let all: Vec<_> = (0..WIDTH).map(|n| of(&format!("second.b{n}"))).collect();
    let playbook = json!({
        "id": id, "name": "Bench", "description": "A graph of steps of models.", "version": "1.0.0",
        "inputs": [{ "name": "question", "type": "string", "required": true }],
        "steps": [
            { "name": "first", "step_type": "tool", "action": "parallel", "parallel_steps": first },
            { "name": "second", "step_type": "tool", "action": "parallel", "parallel_steps": second },
            agent("c", json!({ "question": "{question}", "found": all })),
            agent("d", json!({ "question": "{question}", "found": of("c") })),
        ],
    });
    playbook.to_string()
}

/// One run, to its end.
pub(super) async fn run(bench: &Bench<'_>, playbook: &str) -> Result<(), CliError> {
    let run = bench.start(playbook, &json!({ "question": "Which funds are the largest?" })).await?;
    bench.reaches(&run, "complete").await?;
    let last = format!("{FACTORY}/executions/{run}/outputs/d");
    let answer = bench.owner.get(&last).await?["output"]["answer"].take();
    if answer == ANSWER {
        return Ok(());
    }
    Err(CliError::Found(format!("the last step of the benchmark's run answered {answer}")))
}

/// Measures the pairs.
pub(super) async fn figures(bench: &Bench<'_>, peer: &Peer, console: &Console) -> Figures {
    let step = console.step("measuring the processor time of graphs");
    let id = bench.enter("graph", playbook).await?;
    for _ in 0..WARM_UP {
        run(bench, &id).await?;
    }
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        step.detail(&format!("pair {} of {PAIRS}", pair + 1));
        let ours = ours(bench, &id).await?;
        pairs.push([ours, peer.used(pair).await?]);
    }
    step.done(&format!("{PAIRS} pairs of {RUNS} runs of {NODES} steps are measured"));
    let time = "own processor time per turn, all functions of a run";
    Ok(table(&pairs, (time, GOAL_MS), "peak memory of the largest function"))
}

async fn ours(bench: &Bench<'_>, playbook: &str) -> Result<Used, CliError> {
    let work = async || {
        for _ in 0..RUNS {
            run(bench, playbook).await?;
        }
        Ok(())
    };
    Used::by(bench, &FUNCTIONS, RUNS * TURNS, work).await
}

/// What the peer says of itself.
#[derive(Debug, Deserialize)]
struct Said {
    seconds: f64,
    peak_mb: f64,
    answer: String,
}

impl Peer {
    async fn used(&self, nth: usize) -> Result<Used, CliError> {
        let doing = |source| CliError::io("running LangGraph", source);
        let folder = self.folder.join(format!("pair-{nth}"));
        emptied(&folder)?;
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args([RUNS.to_string(), self.port.to_string()]);
        let output =
            command.arg(folder.join("checkpoints.sqlite")).output().await.map_err(doing)?;
        let said: Said = said(&output)?;
        if said.answer != ANSWER {
            return Err(CliError::Found("the two sides do not agree about the answer".to_owned()));
        }
        Ok(Used::of(Duration::from_secs_f64(said.seconds), RUNS * TURNS, said.peak_mb))
    }
}

/// Makes the folder, without what an earlier measurement has left.
fn emptied(folder: &Path) -> Result<(), CliError> {
    let doing = |source| CliError::io("making room for the checkpoints of LangGraph", source);
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(doing(error)),
        _ => {}
    }
    std::fs::create_dir_all(folder).map_err(doing)
}

#[cfg(test)]
mod tests {
    use super::{NODES, playbook};

    #[test]
    fn the_graph_has_its_steps() {
        let text = playbook("b");
        assert_eq!(text.matches("research_with_tools").count(), NODES);
        assert!(
            text.contains("{first.a0.answer}") && text.contains("{second.b3.answer}"),
            "{text}"
        );
    }
}
