//! The steps of a run, and of the one behind a request, as text.

use serde_json::Value;

use super::{field_items, marked, text};

/// The steps of the run, a line for each stage.
pub(super) fn plan(request: &Value) -> Vec<String> {
    let plan = text(request, "plan_picture").filter(|plan| !plan.is_empty());
    let lines = plan.iter().flat_map(|plan| marked::block(plan));
    lines.map(|line| format!("  {line}")).collect()
}

/// What stands above what the steps do.
pub(super) const DESCRIBED: &str = "What its steps do, in their author's words:";

/// What each step of a run or a request does and when it is carried out; steps of which neither is said are left out.
pub(super) fn described(of: &Value) -> Vec<String> {
    let all = field_items(of, "steps").iter();
    let lines = all.flat_map(|step| {
        let name = marked::name(&text(step, "name").unwrap_or_default());
        let said = |before: String, field: &str| {
            text(step, field).map(|said| marked::value(&before, &said)).unwrap_or_default()
        };
        let does = said(format!("{name}:"), "description");
        [does, said(format!("{name}, only if:"), "condition")].concat()
    });
    lines.map(|line| format!("  {line}")).collect()
}
