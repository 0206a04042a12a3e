//! `for_each`: the list is one, its items can be told apart, and each call is signed.

use countersign_registry::{CALL_CONNECTOR, DataType};
use countersign_wiring::{Compat, Reference, Template, compatible};
use serde_json::Value;

use super::assurance::known_endpoint;
use super::slots::part_that_fits;
use super::{Check, bare};
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::draft::{DraftAction, DraftEach, DraftKind};
use crate::sink::Sink;

/// Checks `for_each` of one step.
pub(super) fn check(check: &Check<'_>, at: usize, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    let step = &check.draft.steps[at];
    let Some(each) = &step.for_each else { return };
    list(check, each, sink);
    key(check, at, each, sink);
    if let DraftKind::Action(action) = &step.kind
        && !is_signed(action, world)
    {
        unsigned(action, each, sink);
    }
}

/// The list is a list, as far as is known.
fn list(check: &Check<'_>, each: &DraftEach, sink: &mut Sink<'_>) {
    let (Some(text), Some(list)) = (&each.list, list_of(each)) else { return };
    // The results of several steps were reported as such.
    let from = check.type_of(&list);
    let wanted = DataType::array(DataType::Any);
    if compatible(&from, &wanted) != Compat::Incompatible || check.names.is_whole_parallel(&list) {
        return;
    }
    let message = format!("`in` takes a list, this is {from}");
    let problem = sink.problem(Code::TypeMismatch, text.spot, "for_each.in", message);
    let written = Value::String(format!("{{{list}}}"));
    sink.push(problem.maybe_hint(part_that_fits(&from, &written, &wanted)));
}

/// The key differs from item to item, and is a text.
fn key(check: &Check<'_>, at: usize, each: &DraftEach, sink: &mut Sink<'_>) {
    let Some(key) = &each.key else { return };
    let Ok(template) = Template::parse(&key.text) else { return };
    let item = &each.item.text;
    if !template.references().any(|reference| reference.root() == item) {
        let message = format!("every item has the same key: `key` does not refer to `{{{item}}}`");
        let problem = sink.problem(Code::Duplicate, key.spot, "for_each.key", message);
        let hint = format!("use a field that differs, such as `{{{item}.id}}`, or leave `key` out");
        return sink.push(problem.hint(hint));
    }
    for reference in template.references() {
        let from = check.type_in(at, reference);
        if compatible(&from, &DataType::String) == Compat::Incompatible {
            let spot = sink.narrow(key.spot, &reference.to_string());
            let message = format!("`key` takes a text or a number, `{{{reference}}}` is {from}");
            let problem = sink.problem(Code::TypeMismatch, spot, "for_each.key", message);
            let written = Value::String(format!("{{{reference}}}"));
            sink.push(problem.maybe_hint(part_that_fits(&from, &written, &DataType::String)));
        }
    }
}

/// Whether a signature stands before each call. Where nobody knows the endpoint, one does.
fn is_signed(action: &DraftAction<'_>, world: CompileContext<'_>) -> bool {
    match known_endpoint(action, world) {
        Some(known) if action.endpoint.is_none() => known.irreversible,
        _ => action.contract.is_none() || action.irreversible(),
    }
}

fn unsigned(action: &DraftAction<'_>, each: &DraftEach, sink: &mut Sink<'_>) {
    let (what, hint) = if action.action == CALL_CONNECTOR {
        let hint = "leave `for_each` out: an endpoint that only reads is called once in a step";
        ("this endpoint".to_owned(), hint)
    } else {
        (format!("`{}`", action.action), "leave `for_each` out and wire the whole list")
    };
    let message = format!("`for_each` is for calls that are signed, and {what} needs no signature");
    let problem = sink.problem(Code::Misplaced, each.spot, "for_each", message);
    sink.push(problem.hint(hint));
}

/// The reference to the list, unless it is malformed.
pub(super) fn list_of(each: &DraftEach) -> Option<Reference> {
    bare(&each.list.as_ref()?.text).ok()
}
