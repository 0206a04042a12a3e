//! How soon somebody who is connected sees the first part of an answer after its model has sent it.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::run::{Bench, spread};
use super::super::{Figure, Figures};
use super::provider::{Provider, SLOWLY};
use crate::connection::Connection;
use crate::console::Console;
use crate::error::CliError;

const ANSWERS: usize = 9;
const GOAL_MS: f64 = 300.0;
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures it; the first answer warms up and is not counted.
pub(super) async fn figures(bench: &Bench<'_>, provider: &Provider, console: &Console) -> Figures {
    let step = console.step("measuring how soon an answer is seen");
    let id = bench.enter("answer", playbook).await?;
    let mut connection = Connection::open(&bench.owner).await?;
    let mut took = Vec::new();
    for answer in 0..=ANSWERS {
        step.detail(&format!("answer {answer} of {ANSWERS}"));
        took.push(seen(bench, provider, &mut connection, &id).await?.as_secs_f64() * 1000.0);
    }
    step.done(&format!("{ANSWERS} answers are measured"));
    let took = spread(took.into_iter().skip(1));
    let figure = format!("first part of an answer seen after its model sent it, {}", took.range(0));
    Ok(vec![Figure::at_most(figure, took.median, "ms", GOAL_MS)])
}

fn playbook(id: &str) -> String {
    let answer = json!({
        "name": "answer", "step_type": "llm_task", "action": "llm_analyze", "inputs": { "data": "{question}" },
        "params": { "instructions": "Answer." },
        "output_schema": { "type": "object", "fields": [{ "name": "answer", "type": "string" }] },
    });
    let playbook = json!({
        "id": id, "name": "Bench", "description": "One answer.", "version": "1.0.0",
        "inputs": [{ "name": "question", "type": "string", "required": true }], "steps": [answer],
    });
    playbook.to_string()
}

async fn seen(
    bench: &Bench<'_>,
    provider: &Provider,
    connection: &mut Connection,
    playbook: &str,
) -> Result<Duration, CliError> {
    let run = bench.start(playbook, &json!({ "question": SLOWLY })).await?;
    let message = tokio::time::timeout(PATIENCE, part_of(connection, &run)).await;
    message.map_err(|_| CliError::Found("no part of the answer came".to_owned()))??;
    let seen = Instant::now();
    let sent = provider.first_part.lock().unwrap_or_else(PoisonError::into_inner).take();
    let sent = sent.ok_or_else(|| CliError::Found("the model has sent nothing".to_owned()))?;
    bench.reaches(&run, "complete").await?;
    Ok(seen.duration_since(sent))
}

/// Waits for the first part of the answer of a run.
async fn part_of(connection: &mut Connection, run: &str) -> Result<Value, CliError> {
    while let Some(message) = connection.next().await? {
        if message["type"] == "draft.written" && message["run"] == run {
            return Ok(message);
        }
    }
    Err(CliError::Found("the connection has ended".to_owned()))
}
