//! Approvers who cannot sign, as far as whoever compiles knows the people.

use super::Check;
use crate::compile_context::CompileContext;
use crate::diagnostic::Code;
use crate::draft::DraftKind;
use crate::sink::Sink;

/// Warns of each. Somebody may get an account or a role before the run, which asks again.
pub(super) fn check(check: &Check<'_>, at: usize, world: CompileContext<'_>, sink: &mut Sink<'_>) {
    let (DraftKind::Approval(gate), Some(cannot_sign)) =
        (&check.draft.steps[at].kind, world.cannot_sign)
    else {
        return;
    };
    let escalated = gate.escalation.iter().flat_map(|escalation| &escalation.to);
    for approver in gate.approvers.iter().chain(escalated) {
        let Some(why) = cannot_sign.get(&approver.text) else { continue };
        let message = format!("`{}` {why}, and cannot sign", approver.text);
        let problem = sink.problem(Code::CannotSign, approver.spot, "approvers", message);
        sink.push(problem.hint("name somebody who can; a run asks again when it starts"));
    }
}
