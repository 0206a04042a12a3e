//! References without quotes: YAML reads `source: {filings}` as a mapping with a key and no value.

use countersign_document::words::{self, Wording};
use countersign_document::{Part, lone_key};
use countersign_wiring::Reference;
use serde_json::Value;

use super::Check;
use crate::diagnostic::Code;
use crate::names::Target;
use crate::sink::Sink;

impl Check<'_> {
    /// The reference that a mapping of one key without a value is meant to be.
    pub(super) fn unquoted(&self, at: usize, value: &Value) -> Option<Reference> {
        let reference = Reference::parse(lone_key(value)?).ok()?;
        let is_known = !matches!(self.names.target(&reference), Target::Nothing)
            || self.item(at, &reference).is_some();
        is_known.then_some(reference)
    }
}

/// Reports the references of a step that have no quotes.
pub(super) fn check(check: &Check<'_>, at: usize, sink: &mut Sink<'_>) {
    let Some(action) = check.action(at) else { return };
    for (field, entries) in [("inputs", &action.inputs), ("params", &action.params)] {
        for (key, part) in entries {
            below(check, at, *part, &format!("{field}.{}", key.text), sink);
        }
    }
}

fn below(check: &Check<'_>, at: usize, part: Part<'_>, field: &str, sink: &mut Sink<'_>) {
    if let Some(reference) = check.unquoted(at, part.value()) {
        let Wording { message, hint } = words::unquoted(&reference.to_string());
        let problem = sink.problem(Code::BadReference, part.bytes().into(), field, message);
        return sink.push(problem.maybe_hint(hint));
    }
    part.entries().for_each(|(_, part)| below(check, at, part, field, sink));
    part.items().for_each(|part| below(check, at, part, field, sink));
}
