//! Steps that ask before they write: a `route_output` with a destination that says `confirm: true` (K-62).
//!
//! What is signed is the data and, by the seal of the plan, where it goes and in which form: both are fixed when the gate opens.

use countersign_wiring::{Scope, Template, literal_text, resolve};
use serde_json::{Map, Value};

use crate::model::{Gate, OnReject, PlanStep};

/// The action whose destinations may ask.
const ROUTE_OUTPUT: &str = "route_output";

/// How many rows of the data a request shows; the digest covers all of them.
const MAX_PREVIEW_ROWS: u32 = 10;

/// What a step asks before it writes.
pub(crate) struct Asked {
    pub(crate) prompt: String,
    /// The data as it is wired.
    pub(crate) data: Value,
    /// The data when it is a single reference, without braces.
    pub(crate) reference: Option<String>,
}

/// What the step asks, if one of its destinations wants to be confirmed.
pub(crate) fn asked(step: &PlanStep, inputs: &Map<String, Value>) -> Option<Asked> {
    if step.action != ROUTE_OUTPUT {
        return None;
    }
    let destinations = step.params.get("destinations")?;
    let places = places(destinations, inputs)?;
    let data = step.inputs.get("data").cloned().unwrap_or_default();
    let template = data.as_str().and_then(|text| Template::parse(text).ok());
    let reference = template.and_then(|template| Some(template.whole()?.to_string()));
    let prompt = format!("`{}` writes this to {places}. Shall it?", step.name);
    Some(Asked { prompt, data, reference })
}

/// Whether the step asks before it writes.
pub(crate) fn asks(step: &PlanStep, inputs: &Map<String, Value>) -> bool {
    asked(step, inputs).is_some()
}

/// Whether people sign before destination `n` of a step is written. One of which the plan does not say it is taken as one.
#[must_use]
pub fn confirms(step: &PlanStep, n: usize) -> bool {
    let destinations = match step.params.get("destinations") {
        None => return false,
        Some(destinations) => destinations.as_array(),
    };
    let one = destinations.and_then(|all| all.get(n)).and_then(Value::as_object);
    one.is_none_or(|one| {
        !matches!(one.get("confirm"), None | Some(Value::Null | Value::Bool(false)))
    })
}

/// Where the data goes, in words; none when no destination wants to be confirmed. One of which it cannot be known is taken
/// as one that does.
fn places(destinations: &Value, inputs: &Map<String, Value>) -> Option<String> {
    let mut scope = Scope::new();
    for (name, value) in inputs {
        scope.lend(name, value);
    }
    let Some(Value::Array(all)) = known(destinations, &scope) else {
        return Some(named(destinations));
    };
    let confirms = |one: &Value| match one.get("confirm") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(wired @ Value::String(_)) => resolve(wired, &scope).ok() != Some(Value::Bool(false)),
        Some(_) => true,
    };
    let mut places = Vec::new();
    let mut is_asked = false;
    for written in &all {
        let Some(one) = known(written, &scope).filter(Value::is_object) else {
            // One that only the run knows may be one that is to be confirmed.
            is_asked = true;
            places.push(named(written));
            continue;
        };
        is_asked |= confirms(&one);
        // Texts of the playbook are templates, as the prompt is one; those of an input are data.
        let is_data = destinations.is_string() || written.is_string();
        places.push(if is_data { literal_text(&place(&one)) } else { place(&one) });
    }
    is_asked.then(|| places.join(", "))
}

/// What is written, or what an input of the run has in its place.
fn known(written: &Value, scope: &Scope<'_>) -> Option<Value> {
    match written {
        Value::String(_) => resolve(written, scope).ok(),
        _ => Some(written.clone()),
    }
}

/// What only the run knows: its name, and in the prompt, which is filled in when the gate opens, its value.
fn named(reference: &Value) -> String {
    let text = reference.as_str().unwrap_or_default();
    format!("the destination `{}`, which is {text}", literal_text(text))
}

/// `document report_{{date}}.md in the folder filings as csv, after limit 5`.
fn place(destination: &Value) -> String {
    let of_config = |name: &str| {
        destination.get("config").and_then(|config| config.get(name)).and_then(Value::as_str)
    };
    let kind = destination.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut place = kind.replace('_', " ");
    let name = ["filename_template", "table_name", "document_id"].into_iter().find_map(of_config);
    let tables = destination.pointer("/config/tables").and_then(Value::as_array);
    let tables = tables.into_iter().flatten().filter_map(|table| table.get("table_name")?.as_str());
    for name in name.into_iter().chain(tables) {
        place.push_str(&format!(" `{name}`"));
    }
    let default_workspace = kind.starts_with("data_workspace").then_some("default");
    for (within, name) in [
        ("folder", of_config("folder_id")),
        ("workspace", of_config("workspace_id").or(default_workspace)),
        ("namespace", of_config("namespace")),
    ] {
        if let Some(name) = name {
            place.push_str(&format!(" in the {within} `{name}`"));
        }
    }
    for (word, key) in [("as", "format"), ("if", "condition")] {
        if let Some(text) = destination.get(key).and_then(Value::as_str) {
            place.push_str(&format!(" {word} `{text}`"));
        }
    }
    let transforms: Vec<String> = match destination.get("transforms") {
        Some(Value::Array(all)) => all.iter().map(transform).collect(),
        Some(Value::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    if !transforms.is_empty() {
        place.push_str(&format!(" after {}", transforms.join(" and ")));
    }
    place
}

/// `select name, amount`, `rename a to b`, `limit 5`.
fn transform(transform: &Value) -> String {
    let words = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    let Value::Object(fields) = transform else { return words(transform) };
    let kind = fields.get("type").map(words).unwrap_or_default();
    let settings = ["path", "fields", "from", "to", "count"];
    let settings: Vec<String> =
        settings.into_iter().filter_map(|name| fields.get(name)).map(words).collect();
    format!("`{kind} {}`", settings.join(" to "))
}

/// The gate: one of those who sign for the agent. A denial leaves out the step, and the run goes on.
pub(crate) fn gate(prompt: String, preview_from: String) -> Gate {
    Gate {
        prompt,
        preview_from: Some(preview_from),
        preview_limit: MAX_PREVIEW_ROWS,
        preview_columns: Vec::new(),
        timeout_minutes: None,
        escalation: None,
        on_reject: OnReject::Skip,
        approvers: Vec::new(),
        quorum: 1,
        assurance: None,
        covers: Vec::new(),
        revise: Vec::new(),
    }
}
