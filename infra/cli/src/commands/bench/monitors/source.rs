//! What the monitors of the benchmark look at: a server with the same records at every look.

use serde_json::{Value, json};

use super::super::server;
use crate::error::CliError;

/// How many records each detection step compares.
pub(super) const RECORDS: usize = 50;
pub(super) const CONNECTOR: &str = "bench-source";

/// Serves the records for as long as the benchmark runs; its port.
pub(super) async fn serve() -> Result<u16, CliError> {
    server::serve("200 OK", &records().to_string(), "opening a source for the benchmark").await
}

fn records() -> Value {
    let record = |nth: usize| {
        let day = format!("2026-11-{:02}T{:02}:00:00Z", 1 + nth % 20, nth % 24);
        json!({ "id": nth, "updated_at": day, "title": format!("Record {nth}"), "amount": nth * 7 })
    };
    json!({ "records": (0..RECORDS).map(record).collect::<Value>() })
}

pub(super) fn connector(port: u16) -> String {
    let endpoints = json!({ "list": {
        "description": "Lists records.",
        "method": "GET",
        "path": "/records",
        "parameters": [{ "name": "shelf", "type": "string" }],
        "response_mapping": { "results_path": "records" },
    } });
    server::connector((CONNECTOR, "Bench source"), port, "none", &endpoints)
}

/// A playbook with so many detection steps, and one step for what they find.
pub(super) fn playbook(id: &str, steps: usize) -> String {
    let look = |nth: usize| {
        json!({
            "name": format!("look{nth}"),
            "step_type": "tool",
            "action": "detect_new_data",
            "params": {
                "connector": CONNECTOR, "endpoint": "list", "extra_params": { "shelf": format!("s{nth}") },
            },
        })
    };
    let keep = json!({
        "name": "keep",
        "step_type": "tool",
        "action": "transform_data",
        "inputs": { "data": "{look0.results}" },
        "operations": [{ "type": "limit", "value": 10 }],
    });
    let steps: Vec<Value> = (0..steps).map(look).chain([keep]).collect();
    let playbook = json!({
        "id": id,
        "name": "Bench",
        "description": "Looks for new records.",
        "version": "1.0.0",
        "execution_mode": "deterministic",
        "required_connectors": [CONNECTOR],
        "steps": steps,
    });
    playbook.to_string()
}

#[cfg(test)]
mod tests {
    use super::playbook;

    #[test]
    fn the_playbook_has_its_detection_steps_and_one_more() {
        let playbook: serde_json::Value = serde_json::from_str(&playbook("b", 5)).unwrap();
        assert_eq!(playbook["steps"].as_array().map(Vec::len), Some(6));
    }
}
