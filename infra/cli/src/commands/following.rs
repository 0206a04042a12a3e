//! A run that somebody waits for: the step it is at, what it waits for, and how to come back to it.

use serde_json::Value;

use super::{FACTORY, items, text, visible};

/// The step that a run is at: the first that is not over, such as `step 2 of 5: compare`.
pub(super) fn step(run: &Value) -> Option<String> {
    let steps = run.get("steps").map_or(&[][..], items);
    let is_ahead = |status: &str| ["pending", "sending", "waiting"].contains(&status);
    let n = steps.iter().position(|step| text(step, "status").is_none_or(|at| is_ahead(&at)))?;
    let step = steps.get(n)?;
    let waits = text(step, "status").as_deref() == Some("waiting");
    let waits = if waits { ", which waits for people" } else { "" };
    let name = visible(&text(step, "name").unwrap_or_default());
    Some(format!("step {} of {}: {name}{waits}", n + 1, steps.len()))
}

/// Whom each open request of a run waits for, where it is, and the command that comes next.
pub(super) fn requests(run: &Value, base: &str) -> Vec<String> {
    let asked = run.get("approvals").map_or(&[][..], items).iter();
    let open = asked.filter(|request| text(request, "status").as_deref() == Some("pending"));
    open.flat_map(|request| of_request(request, base)).collect()
}

fn of_request(request: &Value, base: &str) -> Vec<String> {
    let Some(id) = text(request, "approval") else { return Vec::new() };
    let names: Vec<String> = request
        .get("waits_for")
        .map_or(&[][..], items)
        .iter()
        .filter_map(Value::as_str)
        .map(visible)
        .collect();
    let whom = if names.is_empty() { "a signature".to_owned() } else { names.join(", ") };
    vec![
        format!("it waits for {whom}; who signs by mail has a link to the request there"),
        format!("request: {base}{FACTORY}/approvals/{id}"),
        format!(
            "next:    `countersign approvals {id}` shows it, then `countersign approve {id}` or `countersign deny {id}`, on the local stack with `--as USER`"
        ),
    ]
}

/// How to come back to a run that is not over.
pub(super) fn come_back(id: &str) -> String {
    format!("the run goes on without you; `countersign show {id}` says where it is")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{requests, step};

    #[track_caller]
    fn check(statuses: &[&str], expect: Option<&str>) {
        let names = ["read", "ask", "keep"];
        let steps: Vec<Value> = names
            .iter()
            .zip(statuses)
            .map(|(name, status)| json!({ "name": name, "status": status }))
            .collect();
        assert_eq!(step(&json!({ "steps": steps })).as_deref(), expect);
    }

    #[test]
    fn the_step_a_run_is_at_is_the_first_that_is_not_over() {
        check(&["pending", "pending", "pending"], Some("step 1 of 3: read"));
        check(&["done", "waiting", "pending"], Some("step 2 of 3: ask, which waits for people"));
        check(&["skipped", "approved", "sending"], Some("step 3 of 3: keep"));
        check(&["done", "rejected", "not_run"], None);
        check(&[], None);
    }

    #[test]
    fn a_request_is_named_with_its_address_and_the_next_command() {
        let request =
            json!({ "approval": "appr_1", "status": "pending", "waits_for": ["maria", "jo"] });
        let decided = json!({ "approval": "appr_0", "status": "approved" });
        let run = json!({ "approvals": [decided, request] });
        let said = requests(&run, "http://127.0.0.1:1");
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].contains("maria, jo"), "{said:?}");
        assert!(said[1].ends_with("http://127.0.0.1:1/api/agent-factory/approvals/appr_1"));
        assert!(said[2].contains("`countersign approve appr_1`"), "{said:?}");
    }
}
