//! The inputs of a trigger's runs: what is written, with what the event has in place of the references.

use countersign_decimal::json::unrounded;
use countersign_plan::InputProblem;
use countersign_playbook::ValidPlaybook;
use countersign_run::{Response, TriggeredBy};
use countersign_wiring::{Scope, SlotError, bind_open, references};
use serde_json::{Map, Value, json};

use crate::event::TriggerEvent;
use crate::references::is_open;

/// What an event brings that is kept apart from its occurrence.
#[derive(Debug, Clone, Default)]
pub enum Content {
    /// Nothing.
    #[default]
    None,
    /// The body of a webhook.
    Body(Value),
    /// What the run gave back; a run that came to no end of its own gives back nothing.
    Response(Option<Response>),
}

/// The inputs of the run that an event starts. An input that is a single reference without a value is left out.
///
/// # Errors
/// Every input whose text cannot be made.
pub fn inputs(
    written: &Map<String, Value>,
    fired: &TriggeredBy,
    content: Content,
) -> Result<Map<String, Value>, Vec<SlotError>> {
    bind_open(written, &scope(fired, content))
}

/// What the references of an event see.
fn scope(fired: &TriggeredBy, content: Content) -> Scope<'static> {
    match fired {
        TriggeredBy::Webhook { message_id, sent_at, .. } => {
            let message = json!({ "id": message_id, "sent_at": sent_at });
            let scope = Scope::new().with("message", message);
            match content {
                Content::Body(body) => scope.with("body", body),
                _ => scope,
            }
        }
        TriggeredBy::File { file_id, source, name, folder, bytes, etag: _ } => {
            let file = json!({ "id": file_id, "source": source, "name": name, "folder": folder, "size": bytes });
            Scope::new().with("file", file)
        }
        TriggeredBy::After { run, status, playbook } => {
            let mut of = json!({ "id": run, "status": status, "playbook": playbook });
            if let Content::Response(Some(response)) = content {
                of["response"] = seen(response);
            }
            Scope::new().with("run", of)
        }
    }
}

/// What is seen of a response: its text, and what that says where it is JSON.
fn seen(response: Response) -> Value {
    let mut seen = json!({ "format": response.format });
    if let Some(content) = response.content {
        if matches!(response.format.as_str(), "json" | "structured")
            && let Ok(exact) = unrounded(content.as_bytes())
            && let Ok(data) = serde_json::from_slice::<Value>(&exact)
        {
            seen["data"] = data;
        }
        seen["content"] = content.into();
    }
    seen
}

/// Whether the inputs of a trigger fit its playbook, with what the agent's skill gives for the rest. What a reference into a
/// body or a response leads to is checked when there is one.
///
/// # Errors
/// Every input that does not fit.
pub fn fitting(
    on: &TriggerEvent,
    written: &Map<String, Value>,
    skill: Option<&Map<String, Value>>,
    playbook: &ValidPlaybook,
) -> Result<(), Vec<InputProblem>> {
    let open = |value: &Value| references(value).iter().any(is_open);
    let (later, now): (Vec<_>, Vec<_>) = written.iter().partition(|(_, value)| open(value));
    let now: Map<String, Value> =
        now.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut all = skill.cloned().unwrap_or_default();
    // What is not a reference of this event was reported already.
    all.extend(bind_open(&now, &sample(on)).unwrap_or_default());
    for (name, _) in &later {
        all.insert((*name).clone(), Value::Null);
    }
    let is_later = |name: &str| later.iter().any(|(later, _)| *later == name);
    let declares = |name: &str| playbook.inputs.iter().any(|input| input.name == name);
    let problems = countersign_plan::inputs(playbook, &all).err().unwrap_or_default();
    let problems: Vec<InputProblem> = problems
        .into_iter()
        .filter(|problem| !(is_later(&problem.name) && declares(&problem.name)))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// An event of this kind, as far as the types of what it has are known.
fn sample(on: &TriggerEvent) -> Scope<'static> {
    let id = "0".repeat(32);
    match on {
        TriggerEvent::Webhook {} => {
            let message = json!({ "id": "msg", "sent_at": "2026-01-01T00:00:00Z" });
            Scope::new().with("message", message)
        }
        TriggerEvent::File { folder, .. } => {
            let file = json!({ "id": format!("file_{id}"), "source": format!("folders/{folder}/file_{id}"),
                "name": "a.pdf", "folder": folder, "size": 1 });
            Scope::new().with("file", file)
        }
        TriggerEvent::After { playbook, .. } => {
            let run = json!({ "id": format!("run_{id}"), "status": "complete", "playbook": playbook.as_str() });
            Scope::new().with("run", run)
        }
    }
}
