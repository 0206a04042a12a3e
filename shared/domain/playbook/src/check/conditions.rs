//! Comparisons in conditions of steps that no value can make hold, or not hold.

use super::Check;
use crate::diagnostic::Code;
use crate::sink::Sink;

/// Reports the comparisons of a step's condition that the types of their sides decide. What a model or a connector answers may have
/// another type than was declared: so it is a warning.
pub(super) fn check(check: &Check<'_>, at: usize, sink: &mut Sink<'_>) {
    let Some((condition, spot)) = &check.draft.steps[at].condition else { return };
    for settled in condition.settled(&|reference| check.type_of(reference)) {
        let result = if settled.holds { "always holds" } else { "never holds" };
        let message = format!("`{}` {result}: {}", settled.comparison, settled.why);
        let problem = sink.problem(Code::Settled, *spot, "condition", message);
        sink.push(problem.maybe_hint(settled.hint));
    }
}
