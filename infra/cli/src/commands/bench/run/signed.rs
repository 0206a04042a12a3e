//! A run of one irreversible step: a request with a credential to somebody else, signed at a gate before it is sent.

use std::time::Instant;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{Bench, PATIENCE, PAUSE};
use crate::commands::{FACTORY, text};
use crate::error::CliError;

const CONNECTOR: &str = "bench-ledger";
const FUNCTION: &str = "tool-connect-write";

/// The DynamoDB requests of the step.
pub(super) async fn requests(bench: &Bench<'_>) -> Result<u64, CliError> {
    let port = elsewhere().await?;
    let (door, profile) = (&bench.owner, &bench.agent);
    door.post(&format!("{FACTORY}/connectors"), &json!({ "yaml": connector(port) })).await?;
    let bind = format!("{FACTORY}/profiles/{profile}/data-sources");
    door.post(
        &bind,
        &json!({ "connector_id": CONNECTOR, "credentials": { "token": "of-the-benchmark" } }),
    )
    .await?;
    let id = format!("bench-signed-{}", uuid::Uuid::now_v7().simple());
    door.post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": playbook(&id) })).await?;
    let before = bench.logs.all().await?;
    let run = bench.start(&id, &json!({ "amount": "1.00" })).await?;
    bench.reaches(&run, "awaiting_approval").await?;
    sign(bench, &run).await?;
    bench.reaches(&run, "complete").await?;
    let new = bench.logs.since(&before, &[FUNCTION], 1).await?;
    Ok(new.iter().map(|line| line.reads + line.writes).max().unwrap_or_default())
}

/// Approves what the run asks for, as its approver.
async fn sign(bench: &Bench<'_>, run: &str) -> Result<(), CliError> {
    let deadline = Instant::now() + PATIENCE;
    let approval = loop {
        let page = bench.approver.get(&format!("{FACTORY}/approvals?status=pending")).await?;
        let mut items = page["items"].as_array().into_iter().flatten();
        if let Some(request) = items.find(|request| request["run"] == run) {
            break text(request, "approval").unwrap_or_default();
        }
        if Instant::now() > deadline {
            return Err(CliError::Found("nobody was asked to sign".to_owned()));
        }
        tokio::time::sleep(PAUSE).await;
    };
    let path = format!("{FACTORY}/approvals/{approval}");
    let seen = bench.approver.get(&path).await?;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    bench.approver.post(&format!("{path}/approve"), &decision).await?;
    Ok(())
}

/// A server that takes every payment, for as long as the benchmark runs.
async fn elsewhere() -> Result<u16, CliError> {
    let doing = |source| CliError::io("opening a server for the benchmark", source);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(doing)?;
    let port = listener.local_addr().map_err(doing)?.port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 16 * 1024];
            let answer = "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 11\r\nconnection: close\r\n\r\n{\"id\":\"p1\"}";
            if stream.read(&mut request).await.is_ok() {
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        }
    });
    Ok(port)
}

fn connector(port: u16) -> String {
    let connector: Value = json!({
        "id": CONNECTOR,
        "name": "Bench ledger",
        "type": "rest_api",
        "version": "1.0.0",
        "connection": { "base_url": format!("http://127.0.0.1:{port}"), "auth": { "type": "bearer_token" } },
        "endpoints": { "book": {
            "description": "Books a payment.",
            "method": "POST",
            "path": "/payments",
            "parameters": [{ "name": "amount", "type": "string", "required": true }],
        } },
    });
    connector.to_string()
}

fn playbook(id: &str) -> String {
    let playbook: Value = json!({
        "id": id,
        "name": "Bench",
        "description": "One payment.",
        "version": "1.0.0",
        "execution_mode": "deterministic",
        "required_connectors": [CONNECTOR],
        "inputs": [{ "name": "amount", "type": "string", "required": true }],
        "steps": [{
            "name": "sure",
            "step_type": "approval",
            "prompt": "Pay {amount}?",
        }, {
            "name": "pay",
            "step_type": "tool",
            "action": "call_connector",
            "connector": CONNECTOR,
            "endpoint": "book",
            "inputs": { "amount": "{amount}" },
        }],
    });
    playbook.to_string()
}
