//! Reporting under the codes of playbooks.

use countersign_document::{Problem, Rules};
use countersign_wiring::runtime_type;

use crate::diagnostic::Code;

/// Reports a problem of a value.
pub(super) fn report(
    rules: &mut Rules<'_>,
    code: Code,
    pointer: &str,
    message: impl Into<String>,
    hint: impl Into<Option<String>>,
) {
    let problem = Problem::error(code.as_str(), pointer, message).hint(hint);
    rules.report(Problem { severity: code.severity(), ..problem });
}

/// A name that every run gives to a variable means two things (K-55).
pub(super) fn check_free(rules: &mut Rules<'_>, pointer: &str, name: &str) {
    if runtime_type(name).is_some() {
        let message = format!("`{name}` is a variable of every run already");
        report(rules, Code::Ambiguous, pointer, message, None);
    }
}
