//! What approving a request leads to, as things stand.

use countersign_letter::approving_sends;
use serde_json::Value;

use super::field_items;
use super::marked::{cell, fitted};

/// What cannot be taken back once it is approved.
pub(super) fn consequence(request: &Value) -> Option<String> {
    if request["irreversible"] != true || !field_items(request, "outcome").is_empty() {
        return None;
    }
    let left = |step: &Value| step["left"].as_u64().unwrap_or_default();
    let count = |field: &str| request[field].as_u64().unwrap_or_default();
    let remaining = count("needed").saturating_sub(count("given"));
    Some(match field_items(request, "effects").iter().map(left).sum::<u64>() {
        0 => "Approving allows what cannot be undone.".to_owned(),
        requests => approving_sends(requests, count("not_sent"), remaining),
    })
}

/// Why what is shown would not be sent, or may be rejected.
pub(super) fn send_problems(request: &Value) -> Vec<String> {
    let told = field_items(request, "send_problems").iter();
    fitted(told.map(|problem| format!("  - {}", cell(problem, "message"))))
}
