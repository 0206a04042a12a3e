//! Inputs that nothing uses: whoever gives one believes that it counts.

use std::collections::HashSet;

use super::Mention;
use crate::diagnostic::Code;
use crate::draft::Draft;
use crate::sink::Sink;

/// Warns of each. In a playbook with errors, what uses an input may not have been read.
pub(super) fn check<'m>(
    draft: &Draft<'_>,
    mentions: impl Iterator<Item = &'m Mention>,
    sink: &mut Sink<'_>,
) {
    if sink.has_errors() {
        return;
    }
    let used: HashSet<&str> = mentions.map(|mention| mention.reference.root()).collect();
    for input in &draft.inputs {
        let name = input.decl.name.as_str();
        if used.contains(name) {
            continue;
        }
        let message = format!("no step and no output uses the input `{name}`");
        let problem = sink.problem(Code::UnusedInput, input.spot, "inputs", message);
        sink.push(problem.hint(format!("use it as `{{{name}}}`, or remove it")));
    }
}
