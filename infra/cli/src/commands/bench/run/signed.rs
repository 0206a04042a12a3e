//! Runs whose irreversible calls go to somebody else with a credential, signed at a gate before they are sent: one call,
//! many calls of one step, and as many steps.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::server;
use super::logs::Served;
use super::{Bench, PATIENCE, PAUSE};
use crate::commands::{FACTORY, text};
use crate::error::CliError;
use crate::waiting::answered;

const CONNECTOR: &str = "bench-ledger";
const FUNCTION: &str = "tool-connect-write";

/// How many calls the list has, and how many steps it is compared with.
pub(super) const CALLS: usize = 40;
/// How many calls are made side by side.
pub(super) const PARALLEL: usize = 4;

/// What signed calls cost.
pub(super) struct Cost {
    /// DynamoDB requests of a step that makes one call.
    pub(super) one: u64,
    /// DynamoDB requests of a step that makes [`CALLS`], [`PARALLEL`] side by side.
    pub(super) list: u64,
    /// Invocations of that step.
    pub(super) invocations: usize,
    /// From the signature to the end of the run with the list.
    pub(super) list_took: Duration,
    /// From the signature to the end of a run with a step for each call.
    pub(super) steps_took: Duration,
}

pub(super) async fn cost(bench: &Bench<'_>) -> Result<Cost, CliError> {
    bind(bench).await?;
    let (one, _) = run(bench, &[one("pay")], 1).await?;
    let (list, list_took) = run(bench, &[list()], 1).await?;
    let steps: Vec<Value> = (0..CALLS).map(|n| self::one(&format!("pay{n}"))).collect();
    let (_, steps_took) = run(bench, &steps, CALLS).await?;
    let requests = |served: &[Served]| served.iter().map(|line| line.reads + line.writes).sum();
    Ok(Cost {
        one: requests(&one),
        list: requests(&list),
        invocations: list.len(),
        list_took,
        steps_took,
    })
}

/// Binds the agent to a server that takes every payment.
async fn bind(bench: &Bench<'_>) -> Result<(), CliError> {
    let port = elsewhere().await?;
    let (door, profile) = (&bench.owner, &bench.agent);
    door.post(&format!("{FACTORY}/connectors"), &json!({ "yaml": connector(port) })).await?;
    let bind = format!("{FACTORY}/profiles/{profile}/data-sources");
    let source =
        json!({ "connector_id": CONNECTOR, "credentials": { "token": "of-the-benchmark" } });
    door.post(&bind, &source).await?;
    Ok(())
}

/// Runs steps behind a gate: the invocations that sent, and the time from the signature to the end.
async fn run(
    bench: &Bench<'_>,
    steps: &[Value],
    invocations: usize,
) -> Result<(Vec<Served>, Duration), CliError> {
    let id = bench.enter("signed", |id| playbook(id, steps)).await?;
    let before = bench.logs.all().await?;
    let payments: Vec<Value> = (0..CALLS).map(|n| json!({ "no": format!("p{n}") })).collect();
    let run = bench.start(&id, &json!({ "payments": payments })).await?;
    bench.reaches(&run, "awaiting_approval").await?;
    let began = Instant::now();
    sign(bench, &run).await?;
    bench.reaches_within(&run, "complete", Duration::from_millis(50)).await?;
    let took = began.elapsed();
    Ok((bench.logs.since(&before, &[FUNCTION], invocations).await?, took))
}

/// Approves what the run asks for, as its approver.
async fn sign(bench: &Bench<'_>, run: &str) -> Result<(), CliError> {
    let late = "nobody was asked to sign";
    let approval = answered(PATIENCE, PAUSE, late, async || {
        let page = bench.approver.get(&format!("{FACTORY}/approvals?status=pending")).await?;
        let mut items = page["items"].as_array().into_iter().flatten();
        let request = items.find(|request| request["run"] == run);
        Ok(request.map(|request| text(request, "approval").unwrap_or_default()))
    })
    .await?;
    let path = format!("{FACTORY}/approvals/{approval}");
    let seen = bench.approver.get(&path).await?;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    bench.approver.post(&format!("{path}/approve"), &decision).await?;
    Ok(())
}

/// A server that takes every payment, for as long as the benchmark runs.
async fn elsewhere() -> Result<u16, CliError> {
    let doing = "opening a server for the benchmark";
    server::serve("201 Created", r#"{"id":"p1"}"#, doing).await
}

fn connector(port: u16) -> String {
    let endpoints = json!({ "book": {
        "description": "Books a payment.",
        "method": "POST",
        "path": "/payments",
        "parameters": [{ "name": "amount", "type": "string", "required": true }],
    } });
    server::connector((CONNECTOR, "Bench ledger"), port, "bearer_token", &endpoints)
}

fn playbook(id: &str, steps: &[Value]) -> String {
    let gate = json!({ "name": "sure", "step_type": "approval", "prompt": "Pay?" });
    let steps: Vec<&Value> = std::iter::once(&gate).chain(steps).collect();
    let playbook: Value = json!({
        "id": id,
        "name": "Bench",
        "description": "Payments.",
        "version": "1.0.0",
        "execution_mode": "deterministic",
        "required_connectors": [CONNECTOR],
        "inputs": [{ "name": "payments", "type": "list", "required": true }],
        "steps": steps,
    });
    playbook.to_string()
}

/// A step that makes one call.
fn one(name: &str) -> Value {
    json!({
        "name": name,
        "step_type": "tool",
        "action": "call_connector",
        "connector": CONNECTOR,
        "endpoint": "book",
        "inputs": { "amount": "1.00" },
    })
}

/// A step that makes a call for each payment.
fn list() -> Value {
    let mut step = one("pay");
    step["for_each"] = json!({ "in": "{payments}", "key": "{item.no}", "parallel": PARALLEL });
    step
}
