//! What approving a request leads to, as things stand.

use serde_json::Value;

use super::field_items;
use super::marked::{cell, fitted};

/// What cannot be taken back once it is approved.
pub(super) fn consequence(request: &Value) -> Option<String> {
    if request["irreversible"] != true || !field_items(request, "outcome").is_empty() {
        return None;
    }
    let left = |step: &&Value| step["left"].as_u64().unwrap_or_default();
    let count = |field: &str| request[field].as_u64().unwrap_or_default();
    let remaining = count("needed").saturating_sub(count("given"));
    let (held, sent): (Vec<&Value>, Vec<&Value>) =
        field_items(request, "effects").iter().partition(|step| is_held(request, step));
    let held: u64 = held.iter().map(left).sum();
    let said = match sent.iter().map(left).sum() {
        0_u64 if held > 0 => return Some("As things stand, approving sends nothing.".to_owned()),
        sent if sent > 0 && remaining > 1 => format!(
            "Approving alone sends nothing: of {remaining} signatures still needed, the last sends what cannot be undone."
        ),
        0_u64 => "Approving allows what cannot be undone.".to_owned(),
        1 => "Approving sends 1 request that cannot be undone.".to_owned(),
        count => format!("Approving sends {count} requests that cannot be undone."),
    };
    Some(match held {
        0 => said,
        more => format!("{said} As things stand, {more} more would not be sent."),
    })
}

/// Whether nothing of a step would be sent as things stand.
fn is_held(request: &Value, step: &Value) -> bool {
    field_items(request, "send_problems").iter().any(|problem| {
        let sends_nothing = ["fails", "asks_again"].map(Value::from);
        problem["step"] == step["step"] && sends_nothing.contains(&problem["if_approved"])
    })
}

/// Why what is shown would not be sent, or may be rejected.
pub(super) fn send_problems(request: &Value) -> Vec<String> {
    let told = field_items(request, "send_problems").iter();
    fitted(told.map(|problem| format!("  - {}", cell(problem, "message"))))
}
