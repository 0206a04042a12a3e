//! Query parameters that an operation does not have.

use std::collections::BTreeSet;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::problem::{FieldError, Problem};

/// So many unknown parameters are named.
const MAX_NAMED: usize = 20;

/// A name is shown up to here.
const MAX_SHOWN: usize = 80;

/// Refuses every parameter of the query that is not known, each with the one that is probably meant: a filter that is
/// misspelt must not answer with everything.
///
/// # Errors
/// [`Problem`] with every unknown parameter.
pub fn refuse_unknown<'k>(
    query: Option<&str>,
    known: &'k [String],
    nearest: impl Fn(&str) -> Option<&'k str>,
) -> Result<(), Problem> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let names: BTreeSet<_> = pairs.map(|(name, _)| name).collect();
    let unknown = names.iter().filter(|name| !known.iter().any(|known| known == *name));
    let errors: Vec<FieldError> = unknown
        .take(MAX_NAMED)
        .map(|name| {
            let shown: String = name.chars().take(MAX_SHOWN).collect();
            let error = FieldError::new(shown, "is not known here");
            error.with_hint(hint(nearest(name), known))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}

/// In front of a route without query parameters.
///
/// # Errors
/// As [`refuse_unknown`].
pub async fn no_parameters(request: Request, next: Next) -> Result<Response, Problem> {
    refuse_unknown(request.uri().query(), &[], |_| None)?;
    Ok(next.run(request).await)
}

fn hint(meant: Option<&str>, known: &[String]) -> String {
    match (meant, known) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "this operation has no query parameters".to_owned(),
        (None, known) => format!("known: `{}`", known.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::refuse_unknown;

    fn check(query: &str, known: &[&str], expect: &[(&str, &str)]) {
        let known: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
        let meant = |name: &str| (name == "limt").then_some("limit");
        let problem = refuse_unknown(Some(query), &known, meant).err();
        let errors = problem.map(|problem| problem.errors.clone()).unwrap_or_default();
        let said: Vec<(&str, &str)> = errors
            .iter()
            .map(|error| (error.path.as_str(), error.hint.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(said, expect, "{query}");
    }

    #[test]
    fn every_unknown_parameter_is_named_with_what_is_meant() {
        let none = "this operation has no query parameters";
        check("", &[], &[]);
        check("limit=1&cursor=x", &["limit", "cursor"], &[]);
        check("limt=1&limit=2", &["limit"], &[("limt", "did you mean `limit`?")]);
        check(
            "b=1&a&b=2",
            &["limit", "cursor"],
            &[("a", "known: `limit`, `cursor`"), ("b", "known: `limit`, `cursor`")],
        );
        check("%6cimit=1", &["limit"], &[]);
        check("=", &[], &[("", none)]);
        check("&&", &[], &[]);
    }

    #[test]
    fn no_number_or_length_of_names_makes_a_large_answer() {
        let many: Vec<String> = (0..500).map(|n| format!("{n}{}", "x".repeat(500))).collect();
        let problem = refuse_unknown(Some(&many.join("&")), &[], |_| None).unwrap_err();
        assert_eq!(problem.errors.len(), 20);
        assert!(problem.errors.iter().all(|error| error.path.len() == 80));
    }
}
