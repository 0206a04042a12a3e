//! A run of ten reversible steps.

use serde_json::json;

use super::Bench;
use crate::error::CliError;

pub(super) const STEPS: usize = 10;
const FUNCTIONS: [&str; 3] = ["run-begin", "run-finish", "tool-data"];

/// What a run cost.
pub(super) struct Cost {
    pub(super) invocations: usize,
    pub(super) reads: u64,
    pub(super) writes: u64,
    /// DynamoDB requests of each invocation that carried out steps, the fewest first.
    of_steps: Vec<u64>,
}

impl Cost {
    /// The most requests one invocation needed.
    pub(super) fn dearest(&self) -> u64 {
        self.of_steps.last().copied().unwrap_or_default()
    }

    /// What the median invocation needed: its function knows the plan.
    pub(super) fn usual(&self) -> u64 {
        self.of_steps.get(self.of_steps.len() / 2).copied().unwrap_or_default()
    }

    /// Requests per step.
    pub(super) fn per_step(&self) -> f64 {
        self.of_steps.iter().sum::<u64>() as f64 / STEPS as f64
    }
}

/// Runs ten steps that follow each other: one invocation carries them out.
pub(super) async fn following(bench: &Bench<'_>) -> Result<Cost, CliError> {
    cost(bench, &bench.enter("chain", |id| playbook(id, STEPS)).await?, 1).await
}

/// Runs ten steps of which two are carried out side by side: an invocation for each.
pub(super) async fn side_by_side(bench: &Bench<'_>) -> Result<Cost, CliError> {
    cost(bench, &bench.enter("pairs", of_pairs).await?, STEPS).await
}

/// Runs a playbook of ten steps: so many invocations beside those that begin and finish.
async fn cost(bench: &Bench<'_>, id: &str, invocations: usize) -> Result<Cost, CliError> {
    let before = bench.logs.all().await?;
    let run = bench.start(id, &json!({ "rows": [{ "a": 1 }] })).await?;
    bench.reaches(&run, "complete").await?;
    let new = bench.logs.since(&before, &FUNCTIONS, invocations + 2).await?;
    let steps = new.iter().filter(|line| line.function.ends_with("tool-data"));
    let mut of_steps: Vec<u64> = steps.map(|line| line.reads + line.writes).collect();
    of_steps.sort_unstable();
    Ok(Cost {
        invocations: new.len(),
        reads: new.iter().map(|line| line.reads).sum(),
        writes: new.iter().map(|line| line.writes).sum(),
        of_steps,
    })
}

/// Equal steps, two side by side at a time.
fn of_pairs(id: &str) -> String {
    let mut yaml = head(id, "Pairs of equal steps.");
    for pair in 0..STEPS / 2 {
        yaml.push_str(&format!(
            "  - name: p{pair}\n    step_type: tool\n    action: parallel\n    parallel_steps:\n"
        ));
        for side in ["a", "b"] {
            yaml.push_str(&format!(
                "      - {{name: {side}{pair}, step_type: tool, action: transform_data, inputs: {{data: \"{{rows}}\"}}, operations: [{{type: limit, value: 1}}]}}\n"
            ));
        }
    }
    yaml
}

fn head(id: &str, description: &str) -> String {
    format!(
        "id: {id}\nname: Bench\ndescription: {description}\nversion: 1.0.0\nexecution_mode: deterministic\ninputs:\n  - {{name: rows, type: list, required: true}}\nsteps:\n"
    )
}

/// A chain of equal steps.
pub(super) fn playbook(id: &str, steps: usize) -> String {
    of_steps(id, "A chain of equal steps.", steps, |_| "{type: limit, value: 1}".to_owned())
}

/// A chain of steps, each of which does `operation` with what the one before has given.
pub(super) fn of_steps(
    id: &str,
    description: &str,
    steps: usize,
    operation: impl Fn(usize) -> String,
) -> String {
    let mut yaml = head(id, description);
    for n in 0..steps {
        let data = if n == 0 { "{rows}".to_owned() } else { format!("{{s{}.data}}", n - 1) };
        let operation = operation(n);
        yaml.push_str(&format!(
            "  - {{name: s{n}, step_type: tool, action: transform_data, inputs: {{data: \"{data}\"}}, operations: [{operation}]}}\n"
        ));
    }
    yaml
}

#[cfg(test)]
mod tests {
    use super::{of_pairs, playbook};

    #[test]
    fn the_playbook_is_a_chain() {
        let yaml = playbook("b", 3);
        assert!(yaml.contains("\"{rows}\"") && yaml.contains("\"{s1.data}\""));
        assert!(of_pairs("b").contains("name: b4"));
    }
}
