//! Retries that nobody makes: what cannot be taken back is sent once, and so is each call of a list (K-51).

use super::assurance::is_known;
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::draft::{Draft, DraftKind, DraftStep};
use crate::model::OnError;
use crate::sink::Sink;

/// Warns of every step that asks for retries and gets none.
pub(super) fn check(draft: &Draft<'_>, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    for step in &draft.steps {
        let Some(key) = asked(step) else { continue };
        let why = if step.for_each.is_some() {
            "each call of a list is made once"
        } else if is_known(step, world) || is_bound(step) {
            "what cannot be taken back is sent once"
        } else {
            continue;
        };
        let before = sink.enter(Some(step.name.text.clone()));
        let message = format!("`{key}` has no effect: {why}");
        let problem = sink.problem(Code::NoEffect, step.name.spot, key, message);
        sink.push(problem.hint("leave it out"));
        sink.enter(before);
    }
}

fn is_bound(step: &DraftStep<'_>) -> bool {
    matches!(&step.kind, DraftKind::Action(action) if action.endpoint.is_some_and(|one| one.irreversible))
}

/// The setting that asks for retries.
fn asked(step: &DraftStep<'_>) -> Option<&'static str> {
    match (step.retry_count, &step.on_error) {
        (Some(1..), _) => Some("retry_count"),
        (_, Some((OnError::Retry, _))) => Some("on_error"),
        _ => None,
    }
}
