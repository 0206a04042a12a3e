//! Steps that ask before they write: a `route_output` with a destination that says `confirm: true` (K-62).
//!
//! What is signed is the data and, by the seal of the plan, where it goes and in which form: both are fixed when the gate opens.

use countersign_wiring::{Scope, Template, resolve};
use serde_json::{Map, Value};

use crate::model::{Gate, OnReject, PlanStep};

/// The action whose destinations may ask.
const ROUTE_OUTPUT: &str = "route_output";

/// How many rows of the data a request shows; the digest covers all of them.
const PREVIEW_LIMIT: u32 = 10;

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

/// Where the data goes, in words; none when no destination wants to be confirmed. One of which it cannot be known is taken
/// as one that does.
fn places(destinations: &Value, inputs: &Map<String, Value>) -> Option<String> {
    let mut scope = Scope::new();
    for (name, value) in inputs {
        scope.lend(name, value);
    }
    let known = match destinations {
        Value::String(_) => resolve(destinations, &scope).ok(),
        written => Some(written.clone()),
    };
    let Some(Value::Array(all)) = known else { return Some("its destinations".to_owned()) };
    let confirms = |one: &Value| match one.get("confirm") {
        // A destination that a step finds may be one that is to be confirmed.
        None if one.is_string() => true,
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(wired @ Value::String(_)) => resolve(wired, &scope).ok() != Some(Value::Bool(false)),
        Some(_) => true,
    };
    // Texts of the playbook are templates, as the prompt is one; those of an input are data.
    let text = |one| {
        let place = place(one);
        if destinations.is_string() { place.replace('{', "{{").replace('}', "}}") } else { place }
    };
    all.iter().any(confirms).then(|| all.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// `document report_{{date}}.md in the folder filings`.
fn place(destination: &Value) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let of_config =
        |name: &str| text(destination.get("config").and_then(|config| config.get(name)));
    if destination.is_string() {
        return "a destination that is known in the run".to_owned();
    }
    let mut place = text(destination.get("type")).unwrap_or_default().replace('_', " ");
    let name = ["filename_template", "table_name", "document_id"].into_iter().find_map(of_config);
    if let Some(name) = name {
        place.push_str(&format!(" `{name}`"));
    }
    if let Some(folder) = of_config("folder_id") {
        place.push_str(&format!(" in the folder `{folder}`"));
    }
    place
}

/// The gate: one of those who sign for the agent. A denial leaves out the step, and the run goes on.
pub(crate) fn gate(prompt: String, preview_from: String) -> Gate {
    Gate {
        prompt,
        preview_from: Some(preview_from),
        preview_limit: PREVIEW_LIMIT,
        preview_columns: Vec::new(),
        timeout_minutes: None,
        escalation: None,
        on_reject: OnReject::Skip,
        approvers: Vec::new(),
        quorum: 1,
        assurance: None,
        covers: Vec::new(),
    }
}
