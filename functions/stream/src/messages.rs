//! What is told of an event: its name and its fields.

use std::collections::BTreeSet;

use countersign_approval::Request;
use countersign_plan::{Plan, PlanStep, stage_numbers};
use countersign_run::{Event, EventKind, GateOutcome, Head, Response, RunStatus};
use serde_json::{Map, Value, json};

use crate::position::Part;

/// A message as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    /// Its `event`.
    pub(crate) name: &'static str,
    /// Its `data`.
    pub(crate) data: Value,
}

impl Message {
    pub(crate) fn new(name: &'static str, data: Value) -> Self {
        Self { name, data }
    }

    /// The end of a run whose events do not say it.
    pub(crate) fn end(head: &Head, response: Option<&Response>) -> Self {
        let Head { run, finished_at: at, attempt, status, .. } = head;
        let data = json!({ "run": run, "at": at, "attempt": attempt, "status": status, "response": response });
        Self::new("done", data)
    }

    /// A part of an answer that is being written.
    pub(crate) fn token(head: &Head, (step, turn): (&str, u32), part: Part) -> Self {
        let Part { field, from, text } = part;
        let run = &head.run;
        Self::new(
            "token",
            json!({ "run": run, "step": step, "turn": turn, "field": field, "from": from, "text": text }),
        )
    }
}

/// What is read beside an event to tell of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside<'b> {
    /// The plan, once there is one.
    pub(crate) plan: Option<&'b Plan>,
    /// The request of a gate that has opened.
    pub(crate) request: Option<&'b Request>,
    /// What the run gave back, when it is over.
    pub(crate) response: Option<&'b Response>,
}

/// What is told of an event.
pub(crate) fn message(head: &Head, event: &Event, beside: Beside<'_>) -> Message {
    let (name, fields) = told(head, event, beside);
    let mut data = Map::new();
    data.insert("run".to_owned(), json!(head.run));
    data.insert("at".to_owned(), json!(event.at));
    data.insert("attempt".to_owned(), json!(event.attempt));
    if let Value::Object(fields) = fields {
        data.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Message::new(name, Value::Object(data))
}

fn told(head: &Head, event: &Event, beside: Beside<'_>) -> (&'static str, Value) {
    let step = &event.step;
    match &event.kind {
        EventKind::Started { seal, .. } => ("plan", plan(seal, beside.plan)),
        EventKind::Resumed { reason } => ("resumed", json!({ "reason": reason })),
        EventKind::Sending(what) => {
            let items = Some(what.items).filter(|items| *items > 0);
            ("sending", json!({ "step": step, "target": what.target, "items": items }))
        }
        EventKind::ToolCalled(call) => ("tool", with("step", step, json!(call))),
        EventKind::StepEnded { status, count, code, message, took_ms, model } => {
            let stage = beside.plan.and_then(|plan| stage_numbers(plan).remove(step));
            (
                "step",
                json!({ "step": step, "stage": stage, "status": status, "count": count, "code": code, "message": message, "took_ms": took_ms, "model": model }),
            )
        }
        EventKind::GateOpened { approval } => {
            ("hitl_required", asked(head, event, approval, beside))
        }
        EventKind::GateClosed { approval, verdict } => {
            let name = match verdict {
                GateOutcome::Approved => "hitl_approved",
                GateOutcome::Denied => "hitl_denied",
                GateOutcome::TimedOut => "hitl_timeout",
                GateOutcome::Closed | GateOutcome::NotAsked => "hitl_closed",
            };
            (name, json!({ "request_id": approval, "agent_id": step }))
        }
        EventKind::Revised { approval, again } => {
            ("hitl_revised", json!({ "request_id": approval, "agent_id": step, "again": again }))
        }
        EventKind::Stopped { reason, message } => (
            "stopped",
            json!({ "step": Some(step).filter(|step| !step.is_empty()), "reason": reason, "message": message }),
        ),
        EventKind::Finished { status } => ("done", done(*status, beside.response)),
    }
}

fn with(name: &str, value: &str, mut fields: Value) -> Value {
    fields[name] = value.into();
    fields
}

fn plan(seal: &str, plan: Option<&Plan>) -> Value {
    let stages = plan.map(stage_numbers).unwrap_or_default();
    let steps: Vec<Value> = plan
        .iter()
        .flat_map(|plan| &plan.steps)
        .map(|step| {
            let stage = stages.get(&step.name);
            let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let (action, description) = (said(&step.action), said(&step.description));
            let mut step = json!({ "step": step.name, "stage": stage, "kind": step.kind });
            for (name, value) in [("action", action), ("description", description)] {
                if let Some(value) = value {
                    step[name] = value.into();
                }
            }
            step
        })
        .collect();
    json!({ "seal": seal, "stages": stages.values().max(), "steps": steps })
}

/// That people are asked. `agent_id` is the step that waits, `tool_names` are the actions that it holds back.
fn asked(head: &Head, event: &Event, approval: &str, beside: Beside<'_>) -> Value {
    let request = beside.request;
    let held = beside.plan.and_then(|plan| Some((plan, plan.step(&event.step)?)));
    let held = held.into_iter().flat_map(|(plan, step)| plan.held_by(step));
    let tools: BTreeSet<String> = held.map(PlanStep::tool_name).collect();
    let time = request.map(|request| request.timing.deadline.duration_since(event.at).as_secs());
    json!({
        "request_id": approval, "agent_id": event.step, "agent_name": head.profile_name, "tool_names": tools,
        "task_description": request.map(|request| &request.title), "timeout_seconds": time,
        "deadline": request.map(|request| request.timing.deadline),
    })
}

fn done(status: RunStatus, response: Option<&Response>) -> Value {
    json!({ "status": status, "response": response })
}

#[cfg(test)]
mod tests;
