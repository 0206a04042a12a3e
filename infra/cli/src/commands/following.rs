//! A run that somebody waits for: the step it is at, what it waits for, and how to come back to it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::writing::Writing;
use super::{FACTORY, field_items, text, visible};
use crate::console::Console;

/// What has been shown of a run: each thing is shown once.
pub(super) struct Progress<'c> {
    console: &'c Console,
    step: Option<String>,
    calls: BTreeSet<String>,
    writing: Writing,
}

impl<'c> Progress<'c> {
    pub(super) fn new(console: &'c Console) -> Self {
        Self { console, step: None, calls: BTreeSet::new(), writing: Writing::default() }
    }

    /// Shows what is new: the step the run is at, calls of tools that are over, and answers as they are written.
    pub(super) fn see(&mut self, run: &Value) {
        let now = step(run).filter(|now| self.step.as_ref() != Some(now));
        let new = tool_calls(run).into_iter();
        let new = new.filter(|call| self.calls.insert(call.place.clone())).map(|call| call.said);
        let notes: Vec<String> = now.clone().into_iter().chain(new).collect();
        if !notes.is_empty() {
            self.close();
        }
        notes.iter().for_each(|note| self.console.note(note));
        self.step = now.or(self.step.take());
        self.writing.show(run, self.console);
    }

    /// Ends the line of an answer that is being written.
    pub(super) fn close(&mut self) {
        self.writing.close(self.console);
    }
}

/// The step that a run is at: the first that is not over, such as `step 2 of 5: compare`, and those that are carried out beside it.
pub(super) fn step(run: &Value) -> Option<String> {
    let steps = field_items(run, "steps");
    let n = steps.iter().position(is_ahead)?;
    let step = steps.get(n)?;
    let waits = text(step, "status").as_deref() == Some("waiting");
    let waits = if waits { ", which waits for people" } else { "" };
    let beside = steps.iter().skip(n).take_while(|other| is_beside(step, other));
    let names = beside.filter(|step| is_ahead(step));
    let names: Vec<String> =
        names.map(|step| visible(&text(step, "name").unwrap_or_default())).collect();
    Some(format!("step {} of {}: {}{waits}", n + 1, steps.len(), names.join(", ")))
}

fn is_ahead(step: &Value) -> bool {
    let ahead = ["pending", "running", "sending", "waiting"];
    text(step, "status").is_none_or(|status| ahead.contains(&status.as_str()))
}

/// Whether two steps are one, or in the same stage. A run without a plan has no stages.
fn is_beside(step: &Value, other: &Value) -> bool {
    let stage = |step: &Value| step.get("stage").and_then(Value::as_u64).filter(|stage| *stage > 0);
    std::ptr::eq(step, other) || (stage(step).is_some() && stage(step) == stage(other))
}

/// A call of a tool that the model of a step has asked for, and that is over.
pub(super) struct ToolCall {
    /// Which one it is: step, turn and number.
    pub(super) place: String,
    /// What is said of it: tool, arguments, and how it ended.
    pub(super) said: String,
}

/// Arguments are shown up to so many characters.
const MAX_ARGUMENTS: usize = 120;

/// The calls of tools so far, in the order in which they were asked for.
pub(super) fn tool_calls(run: &Value) -> Vec<ToolCall> {
    calls_of_steps(run).map(|(step, call)| tool_call(&step, call)).collect()
}

/// The same as the API says them, each behind the name of its step.
pub(super) fn calls_of_steps(run: &Value) -> impl Iterator<Item = (String, &Value)> {
    field_items(run, "steps").iter().flat_map(|step| {
        let name = text(step, "name").unwrap_or_default();
        field_items(step, "tool_calls").iter().map(move |call| (name.clone(), call))
    })
}

fn tool_call(step: &str, call: &Value) -> ToolCall {
    let word = |name: &str| text(call, name).unwrap_or_default();
    let ended = text(call, "code").unwrap_or_else(|| word("status"));
    let arguments = word("arguments");
    let shown: String = arguments.chars().take(MAX_ARGUMENTS).collect();
    let more = if shown.len() < arguments.len() { "…" } else { "" };
    ToolCall {
        place: format!("{step}/{}/{}", call["turn"], call["call"]),
        said: visible(&format!("  {} {shown}{more}: {ended}", word("tool"))),
    }
}

/// Whom each open request of a run waits for, where it is, and the command that comes next.
pub(super) fn requests(run: &Value, base: &str) -> Vec<String> {
    open(run).flat_map(|request| of_request(request, base)).collect()
}

/// The requests of a run that are not decided yet.
pub(super) fn open(run: &Value) -> impl Iterator<Item = &Value> {
    let asked = field_items(run, "approvals").iter();
    asked.filter(|request| text(request, "status").as_deref() == Some("pending"))
}

fn of_request(request: &Value, base: &str) -> Vec<String> {
    let Some(id) = text(request, "approval") else { return Vec::new() };
    let names: Vec<String> =
        field_items(request, "waits_for").iter().filter_map(Value::as_str).map(visible).collect();
    let whom = if names.is_empty() { "a signature".to_owned() } else { names.join(", ") };
    vec![
        format!("it waits for {whom}; who signs by mail has a link to the request there"),
        format!("request: {base}{FACTORY}/approvals/{id}"),
        format!(
            "next:    `countersign approvals {id}` shows it, then `countersign approve {id}` or `countersign deny {id}`, on the local stack with `--as USER`"
        ),
    ]
}

/// That a run failed, and why, as far as one sentence says it.
pub(super) fn failed(run: &Value, status: &str, id: &str) -> String {
    let stop = &run["stop"];
    let why = text(stop, "message").filter(|why| !why.trim().is_empty());
    let Some(why) = why else {
        return format!("the run ended as `{status}`; `countersign show {id}` says why");
    };
    let at = text(stop, "step").map(|step| format!(" at `{}`", visible(&step)));
    let why = visible(why.trim_end_matches('.'));
    format!(
        "the run ended as `{status}`{}: {why}; `countersign show {id}` has its steps",
        at.unwrap_or_default()
    )
}

/// How to come back to a run that is not over.
pub(super) fn come_back(id: &str) -> String {
    format!("the run goes on without you; `countersign show {id}` says where it is")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{failed, requests, step, tool_calls};

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
        check(&["done", "running", "pending"], Some("step 2 of 3: ask"));
        check(&["done", "waiting", "pending"], Some("step 2 of 3: ask, which waits for people"));
        check(&["skipped", "approved", "sending"], Some("step 3 of 3: keep"));
        check(&["done", "rejected", "not_run"], None);
        check(&[], None);
        let step_of = |name: &str, stage: u32, status: &str| json!({ "name": name, "stage": stage, "status": status });
        let steps = [
            step_of("plan", 1, "done"),
            step_of("a", 2, "pending"),
            step_of("b", 2, "done"),
            step_of("c", 2, "pending"),
            step_of("d", 3, "pending"),
        ];
        assert_eq!(step(&json!({ "steps": steps })).as_deref(), Some("step 2 of 5: a, c"));
    }

    #[test]
    fn a_call_of_a_tool_is_shown_with_its_arguments_and_its_end() {
        let call = |n: u32, arguments: &str, code: Option<&str>| json!({ "turn": 1, "call": n, "tool": "search_web", "arguments": arguments, "status": "done", "code": code });
        let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(200));
        let calls =
            [call(1, r#"{"query":"owls\u001b"}"#, None), call(2, &long, Some("TOOL_REFUSED"))];
        let run = json!({ "steps": [{ "name": "read" }, { "name": "look", "tool_calls": calls }] });
        let told = tool_calls(&run);
        let places: Vec<&str> = told.iter().map(|call| call.place.as_str()).collect();
        assert_eq!(places, ["look/1/1", "look/1/2"]);
        assert_eq!(told[0].said, r#"  search_web {"query":"owls\u001b"}: done"#);
        assert!(told[1].said.ends_with("x…: TOOL_REFUSED"), "{}", told[1].said);
        assert!(tool_calls(&json!({})).is_empty());
    }

    #[test]
    fn a_run_that_failed_says_why() {
        let check = |stop: Value, expect: &str| {
            assert_eq!(failed(&json!({ "stop": stop }), "error", "run_1"), expect);
        };
        check(
            json!({ "reason": "step_failed", "step": "answer", "message": "the model provider does not answer (HTTP 500)." }),
            "the run ended as `error` at `answer`: the model provider does not answer (HTTP 500); `countersign show run_1` has its steps",
        );
        check(
            json!({ "reason": "broken", "message": "the plan\u{1b} is too long" }),
            "the run ended as `error`: the plan\\u{1b} is too long; `countersign show run_1` has its steps",
        );
        let bare = "the run ended as `error`; `countersign show run_1` says why";
        check(Value::Null, bare);
        check(json!({ "message": "" }), bare);
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
