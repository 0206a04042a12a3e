//! Warnings about retries, their pauses and time limits that cannot take effect: a call that cannot be undone, or that `for_each`
//! makes, is sent once (K-51), and a function has a time limit of its own.

use countersign_registry::{most_retries, step_seconds};

use super::assurance::is_known;
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::draft::{Draft, DraftAction, DraftKind, DraftStep};
use crate::lower::retries;
use crate::model::OnError;
use crate::sink::Sink;

/// Warns of every step that asks for retries and gets none, or for more time than it can have.
pub(super) fn check(draft: &Draft<'_>, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    for step in &draft.steps {
        check_time(step, sink);
        let why = if step.for_each.is_some() {
            Some("each call of a list is made once")
        } else if is_known(step, world) || is_bound(step) {
            Some("what cannot be taken back is sent once")
        } else {
            None
        };
        check_backoff(draft, step, why, sink);
        if why.is_none() {
            check_pauses(draft, step, sink);
        }
        let (Some(key), Some(why)) = (asked(draft, step), why) else { continue };
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
    let Some(most) = seconds(action) else { return };
    if let Some(asked) = step.timeout_seconds.filter(|asked| *asked > most) {
        let message = format!("{asked} seconds are more than `{}` can have", action.action);
        let what = if action.llm { "a turn of its model" } else { "a step" };
        let hint = format!("{what} has {most} at most, all attempts together");
        warn(step, "timeout_seconds", message, hint, sink);
    }
}

/// How long a step with this action may take, in seconds.
fn seconds(action: &DraftAction<'_>) -> Option<u32> {
    step_seconds(&action.contract?.function)
}

/// Pauses that grow fast leave no time for the last retries.
fn check_pauses(draft: &Draft<'_>, step: &DraftStep<'_>, sink: &mut Sink<'_>) {
    let (DraftKind::Action(action), Some(multiplier)) = (&step.kind, step.backoff_multiplier)
    else {
        return;
    };
    let Some(seconds) = seconds(action) else { return };
    let asked = retries(step, on_error(draft, step).unwrap_or(OnError::Skip));
    let most = most_retries(asked, multiplier, seconds);
    if most < asked {
        let message = format!(
            "`retry_count: {asked}` cannot be made: with such pauses, the {seconds} seconds of `{}` leave time for {most}",
            action.action
        );
        let hint = format!("write `retry_count: {most}`, or a smaller `backoff_multiplier`");
        warn(step, "retry_count", message, hint, sink);
    }
}

/// Only with two retries or more does a pause follow another.
fn check_backoff(draft: &Draft<'_>, step: &DraftStep<'_>, once: Option<&str>, sink: &mut Sink<'_>) {
    if step.backoff_multiplier.is_none() {
        return;
    }
    let on_error = on_error(draft, step).unwrap_or(OnError::Skip);
    let (why, hint) = match once {
        Some(why) => (why, "leave it out"),
        None if retries(step, on_error) < 2 => {
            ("there is no second retry", "write `retry_count: 2` or more, or leave it out")
        }
        None => return,
    };
    let message = format!("`backoff_multiplier` has no effect: {why}");
    warn(step, "backoff_multiplier", message, hint.to_owned(), sink);
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
    match (step.retry_count, on_error(draft, step)) {
        (Some(1..), _) => Some("retry_count"),
        (_, Some(OnError::Retry)) => Some("on_error"),
        _ => None,
    }
}

/// What is written at the step, or at the parallel step around it.
fn on_error(draft: &Draft<'_>, step: &DraftStep<'_>) -> Option<OnError> {
    let mut around = Some(step);
    loop {
        match around {
            Some(one) if one.on_error.is_none() => {
                around = one.parent.map(|parent| &draft.steps[parent]);
            }
            found => break found.and_then(|one| one.on_error.as_ref()).map(|(given, _)| *given),
        }
    }
}
