//! Optional sections: one of a step that has no condition is never left out.

use crate::diagnostic::Code;
use crate::draft::{Draft, DraftStep};
use crate::sink::Sink;

/// Warns of `optional` where nothing could leave the section out.
pub(super) fn check(draft: &Draft<'_>, sink: &mut Sink<'_>) {
    let sections = draft.output.iter().flat_map(|output| &output.sections).enumerate();
    for (at, section) in sections.filter(|(_, section)| section.optional) {
        let Some(source) = &section.source else { continue };
        let name = source.text.split(['.', '[']).next().unwrap_or_default();
        let is_named = |step: &DraftStep<'_>| step.name.text == name || step.key() == name;
        let Some(step) = draft.steps.iter().position(is_named) else { continue };
        if has_condition(draft, step) {
            continue;
        }
        let message =
            format!("`optional` has no effect: `{name}` has no condition that could leave it out");
        let field = format!("output.sections[{at}].optional");
        let problem = sink.problem(Code::NoEffect, source.spot, &field, message);
        sink.push(problem.hint("leave `optional` out, or give the step a condition"));
    }
}

/// Whether a condition could leave the step out: its own, one of what it is part of, or one of each of its parts.
fn has_condition(draft: &Draft<'_>, step: usize) -> bool {
    let mut above = Some(step);
    while let Some(at) = above {
        if draft.steps[at].condition.is_some() {
            return true;
        }
        above = draft.steps[at].parent;
    }
    let parts: Vec<usize> =
        (0..draft.steps.len()).filter(|at| draft.steps[*at].parent == Some(step)).collect();
    !parts.is_empty() && parts.iter().all(|part| has_own(draft, *part))
}

/// The same of a part: its own condition, or one of each of its parts.
fn has_own(draft: &Draft<'_>, step: usize) -> bool {
    let mut parts =
        (0..draft.steps.len()).filter(|at| draft.steps[*at].parent == Some(step)).peekable();
    draft.steps[step].condition.is_some()
        || (parts.peek().is_some() && parts.all(|part| has_own(draft, part)))
}
