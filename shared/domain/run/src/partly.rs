//! Steps that did a part of their work: files that could not be read, destinations that could not be written.

use serde_json::Value;

/// The code of a step that is done and has left something out.
pub const PARTLY_DONE: &str = "PARTLY_DONE";

/// The longest message, in destinations named.
const MAX_NAMED: usize = 5;

/// What an output says was left out, in one sentence; none when nothing was.
#[must_use]
pub fn partly_done(output: &Value) -> Option<String> {
    let said: Vec<String> = files(output).into_iter().chain(destinations(output)).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn files(output: &Value) -> Option<String> {
    let failed = output.get("files_failed")?.as_u64().filter(|failed| *failed > 0)?;
    let read = output.get("files_read").and_then(Value::as_u64).unwrap_or_default();
    Some(format!("{failed} of {} files could not be read", read + failed))
}

fn destinations(output: &Value) -> Option<String> {
    let rows = output.get("routed_to")?.as_array()?;
    let failed = rows.iter().filter(|row| row.get("status").is_some_and(|word| word == "error"));
    let failed: Vec<String> = failed.map(why).collect();
    if failed.is_empty() {
        return None;
    }
    let more = failed.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let named: Vec<String> = failed.iter().take(MAX_NAMED).cloned().chain(more).collect();
    let (count, all) = (failed.len(), rows.len());
    Some(format!("{count} of {all} destinations could not be written: {}", named.join("; ")))
}

fn why(row: &Value) -> String {
    let text = |pointer: &str| row.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    format!("{}: {} {}", text("/destination"), text("/error/code"), text("/error/message"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(output: &Value, expect: Option<&str>) {
        assert_eq!(partly_done(output).as_deref(), expect);
    }

    #[test]
    fn f_314_a_step_says_which_files_and_destinations_it_left_out() {
        check(&json!({"files_read": 3, "files_failed": 0}), None);
        check(&json!({"files_read": 3, "files_failed": 1}), Some("1 of 4 files could not be read"));
        let failed = json!({"destination": "document", "status": "error", "error": {"code": "X", "message": "no"}});
        check(
            &json!({"routed_to": [{"destination": "chat", "status": "success"}, failed]}),
            Some("1 of 2 destinations could not be written: document: X no"),
        );
        check(&json!({"routed_to": [{"destination": "chat", "status": "skipped"}]}), None);
        check(&json!(null), None);
    }
}
