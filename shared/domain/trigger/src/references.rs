//! What the inputs of a trigger may name of its event.

use countersign_wiring::{Reference, Segment, Template};
use serde_json::Value;

use crate::event::TriggerEvent;

/// No input is nested deeper.
const MAX_DEPTH: usize = 32;

/// A reference that leads nowhere, or a text that is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoReference {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// What an event of this kind has, a name each. `…` stands for whatever its content has.
#[must_use]
pub fn references(on: &TriggerEvent) -> &'static [&'static str] {
    match on {
        TriggerEvent::Webhook {} => &["body…", "message.id", "message.sent_at"],
        TriggerEvent::File { .. } => {
            &["file.source", "file.id", "file.name", "file.folder", "file.size"]
        }
        TriggerEvent::After { .. } => &[
            "run.id",
            "run.status",
            "run.playbook",
            "run.response.format",
            "run.response.content",
            "run.response.data…",
        ],
    }
}

/// Whether an event of this kind has what a reference names.
pub(crate) fn check(on: &TriggerEvent, reference: &Reference) -> Result<(), NoReference> {
    let written = reference.to_string();
    let has = |known: &&str| match known.strip_suffix('…') {
        Some(root) => written
            .strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])),
        None => written == **known,
    };
    let all = references(on);
    if all.iter().any(has) {
        return Ok(());
    }
    let kind = on.kind();
    let names: Vec<String> = all.iter().map(|name| format!("`{{{name}}}`")).collect();
    Err(NoReference {
        message: format!("`{{{written}}}` is nothing that an event of type `{kind}` has"),
        hint: Some(format!("it has {}", names.join(", "))),
    })
}

/// Whether a text without braces names something that an event of this kind has.
pub(crate) fn names_event(on: &TriggerEvent, text: &str) -> bool {
    Reference::parse(text).is_ok_and(|reference| check(on, &reference).is_ok())
}

/// Whether what a reference leads to is known only when there is an event.
pub(crate) fn is_open(reference: &Reference) -> bool {
    let first = reference.segments().first();
    let is_field = |name: &str| matches!(first, Some(Segment::Field(field)) if field == name);
    match reference.root() {
        "body" => true,
        "run" => is_field("response"),
        _ => false,
    }
}

/// Reports everything that is wrong with the references of a value, with the place of each.
pub(crate) fn each_problem(
    on: &TriggerEvent,
    value: &Value,
    at: &str,
    report: &mut impl FnMut(&str, NoReference),
) {
    if at.matches('/').count() > MAX_DEPTH {
        let message = format!("is nested deeper than {MAX_DEPTH} levels");
        return report(at, NoReference { message, hint: None });
    }
    match value {
        Value::String(text) => match Template::parse(text) {
            Ok(template) => {
                for wrong in template.references().filter_map(|one| check(on, one).err()) {
                    report(at, wrong);
                }
            }
            Err(error) => report(at, NoReference { message: error.message, hint: error.help }),
        },
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                each_problem(on, item, &format!("{at}/{n}"), report);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                each_problem(on, item, &format!("{at}/{name}"), report);
            }
        }
        _ => {}
    }
}
