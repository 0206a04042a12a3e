//! A run of ten reversible steps.

use serde_json::json;

use super::Bench;
use crate::commands::FACTORY;
use crate::error::CliError;

pub(super) const STEPS: usize = 10;
const FUNCTIONS: [&str; 3] = ["run-begin", "run-finish", "tool-data"];

/// What the run cost.
pub(super) struct Cost {
    pub(super) invocations: usize,
    pub(super) reads: u64,
    pub(super) writes: u64,
    /// The most DynamoDB requests one tool step needed.
    pub(super) dearest_step: u64,
    /// What the median step needed: its function knows the plan.
    pub(super) usual_step: u64,
}

/// Runs it: one invocation begins, ten are steps, one finishes.
pub(super) async fn cost(bench: &Bench<'_>) -> Result<Cost, CliError> {
    let id = format!("bench-{STEPS}-{}", uuid::Uuid::now_v7().simple());
    let door = &bench.owner;
    door.post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": playbook(&id, STEPS) })).await?;
    let before = bench.logs.all().await?;
    let run = bench.start(&id, &json!({ "rows": [{ "a": 1 }] })).await?;
    bench.reaches(&run, "complete").await?;
    let new = bench.logs.since(&before, &FUNCTIONS, STEPS + 2).await?;
    let steps = new.iter().filter(|line| line.function.ends_with("tool-data"));
    let mut steps: Vec<u64> = steps.map(|line| line.reads + line.writes).collect();
    steps.sort_unstable();
    Ok(Cost {
        invocations: new.len(),
        reads: new.iter().map(|line| line.reads).sum(),
        writes: new.iter().map(|line| line.writes).sum(),
        dearest_step: steps.last().copied().unwrap_or_default(),
        usual_step: steps.get(steps.len() / 2).copied().unwrap_or_default(),
    })
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
    let mut yaml = format!(
        "id: {id}\nname: Bench\ndescription: {description}\nversion: 1.0.0\nexecution_mode: deterministic\ninputs:\n  - {{name: rows, type: list, required: true}}\nsteps:\n"
    );
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
    use super::playbook;

    #[test]
    fn the_playbook_is_a_chain() {
        let yaml = playbook("b", 3);
        assert!(yaml.contains("\"{rows}\"") && yaml.contains("\"{s1.data}\""));
    }
}
