//! The step that `summary_prompt` adds: its name must be free, and there must be room for it.

use crate::diagnostic::Code;
use crate::draft::{Draft, DraftStep};
use crate::sink::Sink;
use crate::summary::NAME;
use crate::written::MAX_STEPS;

/// Reports whatever has its name already, and a playbook that has as many steps as there may be.
pub(super) fn check(draft: &Draft<'_>, sink: &mut Sink<'_>) {
    let prompt = draft.output.as_ref().and_then(|output| output.summary_prompt.as_ref());
    let Some(prompt) = prompt else { return };
    if let Some(what) = named(draft) {
        let message = format!("`summary_prompt` adds a step `{NAME}`, and {what} has that name");
        let problem = sink.problem(Code::Ambiguous, prompt.spot, "output.summary_prompt", message);
        sink.push(problem.hint(format!("give {what} another name")));
    }
    if draft.steps.len() >= MAX_STEPS {
        let message = format!("`summary_prompt` adds a step, and there are {MAX_STEPS} already");
        let problem = sink.problem(Code::OutOfRange, prompt.spot, "output.summary_prompt", message);
        sink.push(problem.hint("leave out a step, or the summary"));
    }
}

/// What has its name.
fn named(draft: &Draft<'_>) -> Option<&'static str> {
    let is_item =
        |step: &DraftStep<'_>| step.for_each.as_ref().is_some_and(|each| each.item.text == NAME);
    if draft.steps.iter().any(|step| step.name.text == NAME) {
        Some("a step")
    } else if draft.steps.iter().any(|step| step.key() == NAME) {
        Some("a result")
    } else if draft.inputs.iter().any(|input| input.decl.name == NAME) {
        Some("an input")
    } else if draft.steps.iter().any(is_item) {
        Some("an item of `for_each`")
    } else {
        None
    }
}
