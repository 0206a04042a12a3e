//! What there is to say about a document that was read and not stored.

use schemars::JsonSchema;
use serde::Serialize;

/// What was found in a document: the same shape for every kind, from the REST API and from the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "{P}Verdict")]
pub struct Verdict<P> {
    /// Whether it can be used.
    pub is_valid: bool,
    /// What must be changed, in the order of the text.
    pub errors: Vec<P>,
    /// What may surprise, and what is good to know: `severity` says which.
    pub warnings: Vec<P>,
}

impl<P> Verdict<P> {
    /// The problems of a document, of which `is_error` tells those that keep it from being used.
    #[must_use]
    pub fn of(is_valid: bool, problems: Vec<P>, is_error: impl Fn(&P) -> bool) -> Self {
        let (errors, warnings) = problems.into_iter().partition(is_error);
        Self { is_valid, errors, warnings }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Problem, Severity};

    #[test]
    fn f_166_errors_are_apart_from_everything_else() {
        let error = Problem::error("a", "", "wrong");
        let warning = Problem { severity: Severity::Warning, ..Problem::error("b", "", "odd") };
        let note = Problem { severity: Severity::Note, ..Problem::error("c", "", "so") };
        let problems = vec![note.clone(), error.clone(), warning.clone()];
        let verdict = Verdict::of(false, problems, Problem::is_error);
        assert_eq!((&verdict.errors, &verdict.warnings), (&vec![error], &vec![note, warning]));
        let none: Verdict<Problem> = Verdict::of(true, Vec::new(), Problem::is_error);
        assert_eq!(json!(none), json!({ "is_valid": true, "errors": [], "warnings": [] }));
        assert_eq!(<Verdict<Problem> as JsonSchema>::schema_name(), "DocumentProblemVerdict");
    }
}
