//! Warnings about retries and time limits that cannot take effect: a call that cannot be undone, or that `for_each` makes, is sent
//! once (K-51), and a function has a time limit of its own.

use countersign_registry::step_seconds;

use super::assurance::is_known;
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::draft::{Draft, DraftKind, DraftStep};
use crate::model::OnError;
use crate::sink::Sink;

/// Warns of every step that asks for retries and gets none, or for more time than it can have.
pub(super) fn check(draft: &Draft<'_>, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    for step in &draft.steps {
        check_time(step, sink);
        let Some(key) = asked(draft, step) else { continue };
        let why = if step.for_each.is_some() {
            "each call of a list is made once"
        } else if is_known(step, world) || is_bound(step) {
            "what cannot be taken back is sent once"
        } else {
            continue;
        };
        let (message, hint) = match key {
            "on_error" => (
                format!("`on_error: retry` is the same as `stop` here: {why}"),
                "write `on_error: stop` at this step",
            ),
            _ => (format!("`{key}` has no effect: {why}"), "leave it out"),
        };
        warn(step, key, message, hint.to_owned(), sink);
    }
}

fn check_time(step: &DraftStep<'_>, sink: &mut Sink<'_>) {
    let DraftKind::Action(action) = &step.kind else { return };
    let function = action.contract.map(|contract| contract.function.as_str());
    let Some(most) = function.and_then(step_seconds) else { return };
    if let Some(asked) = step.timeout_seconds.filter(|asked| *asked > most) {
        let message = format!("{asked} seconds are more than `{}` can have", action.action);
        let what = if action.llm { "a turn of its model" } else { "a step" };
        let hint = format!("{what} has {most} at most, all attempts together");
        warn(step, "timeout_seconds", message, hint, sink);
    }
}

fn warn(step: &DraftStep<'_>, key: &str, message: String, hint: String, sink: &mut Sink<'_>) {
    let before = sink.enter(Some(step.name.text.clone()));
    let problem = sink.problem(Code::NoEffect, step.name.spot, key, message);
    sink.push(problem.hint(hint));
    sink.enter(before);
}

fn is_bound(step: &DraftStep<'_>) -> bool {
    matches!(&step.kind, DraftKind::Action(action) if action.endpoint.is_some_and(|one| one.irreversible))
}

/// The setting that asks for retries: the step's own, or that of the parallel step it is in.
fn asked(draft: &Draft<'_>, step: &DraftStep<'_>) -> Option<&'static str> {
    let mut around = Some(step);
    let on_error = loop {
        match around {
            Some(one) if one.on_error.is_none() => {
                around = one.parent.map(|parent| &draft.steps[parent]);
            }
            found => break found.and_then(|one| one.on_error.as_ref()),
        }
    };
    match (step.retry_count, on_error) {
        (Some(1..), _) => Some("retry_count"),
        (_, Some((OnError::Retry, _))) => Some("on_error"),
        _ => None,
    }
}
