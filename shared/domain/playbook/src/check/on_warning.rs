//! `on_warning` only where it can do what it says.

use countersign_registry::Contract;

use crate::diagnostic::Code;
use crate::draft::{Draft, DraftKind, DraftStep};
use crate::on_warning::OnWarning;
use crate::sink::Sink;

/// Refuses `gate` where nobody signs anything later, and `stop` where the step has acted by then.
pub(super) fn check(draft: &Draft<'_>, sink: &mut Sink<'_>) {
    let last = draft.steps.iter().filter(|step| is_irreversible(step)).map(|step| step.top).max();
    for step in draft.steps.iter().filter(|step| !step.is_gate()) {
        let Some((given, spot)) = step.on_warning else { continue };
        let (message, hint) = match given {
            OnWarning::Gate if last.is_none_or(|last| last <= step.top) => (
                "no later step is irreversible, so nobody signs who could be asked",
                "write `stop` to end the run instead, or leave it out: warnings are told in any case",
            ),
            OnWarning::Stop if is_irreversible(step) && is_known(step) => (
                "this step cannot be taken back: when its answer is read, it has acted",
                "write `gate` to have later irreversible steps signed again, or leave it out",
            ),
            _ => continue,
        };
        let before = sink.enter(Some(step.name.text.clone()));
        let problem = sink.problem(Code::Misplaced, spot, "on_warning", message);
        sink.push(problem.hint(hint));
        sink.enter(before);
    }
}

/// Whether it is known what it calls: without a profile, nobody knows what an endpoint does. It is then checked when a run
/// starts.
fn is_known(step: &DraftStep<'_>) -> bool {
    matches!(&step.kind, DraftKind::Action(action)
        if action.endpoint.is_some() || !action.contract.is_some_and(Contract::is_open))
}

/// Whether its effect needs a signature; while endpoints are not known, every call of a connector counts.
fn is_irreversible(step: &DraftStep<'_>) -> bool {
    matches!(&step.kind, DraftKind::Action(action) if action.irreversible())
}
