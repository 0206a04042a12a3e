//! What a gate offers to have rewritten: steps of models, from which nothing has come yet that stays.

use std::collections::BTreeSet;

use countersign_registry::actions::model_task::takes_changes;
use countersign_registry::nearest;

use super::Check;
use crate::diagnostic::Code;
use crate::draft::{DraftKind, DraftStep};
use crate::sink::{Sink, Text};

/// The most steps that are done again when changes are asked for at a gate: each is two writes of one transaction, one of them with
/// a result of up to 100 KB, and a transaction takes 100 writes and 4 MB.
pub const MAX_DONE_AGAIN: usize = 30;

/// Refuses a name in `revise` that is no earlier step of a model without tools, or whose result something has used by then that
/// cannot simply be done again.
pub(super) fn check(check: &Check<'_>, at: usize, sink: &mut Sink<'_>) {
    let Some(gate) = check.gate(at) else { return };
    for (n, named) in gate.revise.iter().enumerate() {
        if gate.revise[..n].iter().any(|before| before.text == named.text) {
            let message = format!("`{}` is named twice", named.text);
            sink.report(Code::Duplicate, named.spot, "revise", message);
        } else if let Some((code, message, hint)) = problem(check, at, named) {
            let problem = sink.problem(code, named.spot, "revise", message);
            sink.push(problem.maybe_hint(hint));
        }
    }
    let again = done_again(check, at, &gate.revise);
    if let (Some(first), true) = (gate.revise.first(), again > MAX_DONE_AGAIN) {
        let message = format!("{again} steps would be done again; at most {MAX_DONE_AGAIN} may");
        sink.report(Code::OutOfRange, first.spot, "revise", message);
    }
}

/// How many steps are done again: those that are named, and all before the gate that use their results. A parallel step is only a
/// name for those in it.
fn done_again(check: &Check<'_>, gate: usize, revise: &[Text]) -> usize {
    let named: BTreeSet<usize> =
        revise.iter().filter_map(|named| check.names.step(&named.text)).collect();
    let users = named.iter().flat_map(|step| users(check, gate, *step));
    let all: BTreeSet<usize> = users.chain(named.iter().copied()).collect();
    let is_group = |step: &&usize| matches!(check.draft.steps[**step].kind, DraftKind::Parallel);
    all.len() - all.iter().filter(is_group).count()
}

/// The steps before a gate that use the result of a step.
fn users(check: &Check<'_>, gate: usize, step: usize) -> BTreeSet<usize> {
    let steps = &check.draft.steps;
    check.flow.users(check.draft, step, |user| steps[user].top >= steps[gate].top)
}

type Wrong = (Code, String, Option<String>);

fn problem(check: &Check<'_>, gate: usize, named: &Text) -> Option<Wrong> {
    let (steps, name) = (&check.draft.steps, &named.text);
    let Some(step) = check.names.step(name) else {
        let likely = nearest(name, steps.iter().map(|step| step.name.text.as_str()));
        let hint = likely.map(|likely| format!("did you mean `{likely}`?"));
        return Some((Code::UnknownStep, format!("there is no step `{name}`"), hint));
    };
    if steps[step].top >= steps[gate].top {
        let message = format!("`{name}` does not come before this gate");
        let hint = "name steps whose results the gate shows or signs".to_owned();
        return Some((Code::NotEarlier, message, Some(hint)));
    }
    if matches!(steps[step].kind, DraftKind::Unknown) {
        return None;
    }
    if !is_written_by_a_model(&steps[step]) {
        let message =
            format!("`{name}` is not written by a model that could be told what to change");
        let hint = "name a step with the action `llm_analyze` or `synthesize_report`";
        return Some((Code::Misplaced, message, Some(hint.to_owned())));
    }
    users(check, gate, step).into_iter().find_map(|user| {
        let why = stays(&steps[user])?;
        let user = &steps[user].name.text;
        let message = format!(
            "`{name}` cannot be rewritten at this gate: before it, `{user}` uses it and {why}"
        );
        Some((
            Code::Misplaced,
            message,
            Some("name it at an earlier gate, or move that step behind this one".to_owned()),
        ))
    })
}

fn is_written_by_a_model(step: &DraftStep<'_>) -> bool {
    matches!(&step.kind, DraftKind::Action(action) if takes_changes(&action.action))
}

/// Why a step cannot simply be done again; none when it can.
fn stays(step: &DraftStep<'_>) -> Option<&'static str> {
    match &step.kind {
        DraftKind::Approval(_) => Some("people decide on it"),
        DraftKind::Action(action) if action.writes() => Some("changes something"),
        DraftKind::Action(action) if action.llm && !takes_changes(&action.action) => {
            Some("is a model that asks for tools or makes a plan")
        }
        _ => None,
    }
}
