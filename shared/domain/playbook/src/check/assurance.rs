//! A gate before an irreversible step asks for more than the link (K-06): a mail that was forwarded must not pay.

use crate::compile_context::{CompileContext, EndpointContract};
use crate::diagnostic::Code;
use crate::draft::{Draft, DraftAction, DraftKind, DraftStep};
use crate::model::Assurance;
use crate::sink::{Sink, Spot};

/// Reports every gate with `assurance: link` that an irreversible step follows. Where only the connectors an agent has
/// bound now make it irreversible, the gate will ask for the code all the same: that is a warning.
pub(super) fn check(draft: &Draft<'_>, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    for gate in &draft.steps {
        let Some(spot) = link_only(gate) else { continue };
        let behind = || behind(draft, gate.top);
        if let Some(step) = behind().find(|step| is_known(step, world)) {
            report(Code::LinkBeforeEffect, gate, spot, step, sink);
        } else if let Some(step) = behind().find(|step| is_bound(step)) {
            report(Code::LinkRaised, gate, spot, step, sink);
        }
    }
}

fn report(code: Code, gate: &DraftStep<'_>, spot: Spot, step: &DraftStep<'_>, sink: &mut Sink<'_>) {
    let before = sink.enter(Some(gate.name.text.clone()));
    let raised = code == Code::LinkRaised;
    let message = format!(
        "`{}` cannot be taken back, so the link alone is not enough{}",
        step.name.text,
        if raised { ": this gate asks for `link_code`" } else { "" }
    );
    let problem = sink.problem(code, spot, "assurance", message);
    let place = sink.place(step.name.spot);
    let hint = "write `link_code` or `signed_in`, or leave `assurance` out";
    sink.push(problem.hint(hint).see(place, "behind this gate"));
    sink.enter(before);
}

fn link_only(step: &DraftStep<'_>) -> Option<Spot> {
    match &step.kind {
        DraftKind::Approval(gate) => {
            gate.assurance.and_then(|(given, spot)| (given == Assurance::Link).then_some(spot))
        }
        _ => None,
    }
}

/// The steps after a gate, up to the next one.
fn behind<'d>(draft: &'d Draft<'d>, gate: usize) -> impl Iterator<Item = &'d DraftStep<'d>> {
    let next = draft.steps.iter().filter(|step| step.is_gate() && step.top > gate);
    let next = next.map(|step| step.top).min().unwrap_or(usize::MAX);
    draft.steps.iter().filter(move |step| (gate + 1..next).contains(&step.top))
}

/// Whether the step is irreversible by its contract, or by a connector its author has.
pub(super) fn is_known(step: &DraftStep<'_>, world: CompileContext<'_>) -> bool {
    let DraftKind::Action(action) = &step.kind else { return false };
    match action.contract {
        Some(contract) if contract.is_open() => {
            known_endpoint(action, world).is_some_and(|found| found.irreversible)
        }
        Some(contract) => contract.irreversible,
        None => false,
    }
}

/// The endpoint an action calls, as the connectors of its author have it.
pub(super) fn known_endpoint<'w>(
    action: &DraftAction<'_>,
    world: CompileContext<'w>,
) -> Option<&'w EndpointContract> {
    let contract = action.contract.filter(|contract| contract.is_open());
    let (connector, endpoint) =
        contract.and(action.param("connector").zip(action.param("endpoint")))?;
    world.known?.endpoint(connector, endpoint)
}

/// Whether the step is irreversible by a connector the agent has bound.
fn is_bound(step: &DraftStep<'_>) -> bool {
    matches!(&step.kind, DraftKind::Action(action) if action.endpoint.is_some_and(|one| one.irreversible))
}
