//! A body that an operation has no use for.

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use countersign_web::{FieldError, Problem};
use serde_json::{Map, Value};

/// How much of a body is read to name its fields, in bytes.
const MAX_READ: usize = 64 * 1024;
const NO_BODY: &str = "this operation takes no body";

/// Whether the body is known to be empty.
pub(super) fn is_empty(body: &Body) -> bool {
    body.size_hint().exact() == Some(0)
}

/// The request without its body, which must be empty, `{}` or `null`.
///
/// # Errors
/// A [`Problem`] with every field of the body.
pub(super) async fn removed(request: Request) -> Result<Request, Problem> {
    let (head, body) = request.into_parts();
    let bytes = to_bytes(body, MAX_READ).await.map_err(|_| Problem::field("", NO_BODY))?;
    said(&bytes).map(|()| Request::from_parts(head, Body::empty()))
}

fn said(body: &[u8]) -> Result<(), Problem> {
    if body.trim_ascii().is_empty() {
        return Ok(());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Null) => Ok(()),
        Ok(Value::Object(fields)) if fields.is_empty() => Ok(()),
        Ok(Value::Object(fields)) => Err(Problem::invalid(named(&fields))),
        _ => Err(Problem::field("", NO_BODY)),
    }
}

fn named(fields: &Map<String, Value>) -> Vec<FieldError> {
    let shown = |name: &String| name.chars().take(60).collect::<String>();
    fields.keys().map(|name| FieldError::new(shown(name), NO_BODY)).collect()
}

#[cfg(test)]
mod tests {
    use super::said;

    #[track_caller]
    fn check(body: &str, expect: Option<&[&str]>) {
        let found = said(body.as_bytes()).err();
        let paths = found
            .as_ref()
            .map(|problem| problem.errors.iter().map(|one| one.path.as_str()).collect::<Vec<_>>());
        assert_eq!(paths.as_deref(), expect, "{body}");
    }

    #[test]
    fn a_body_that_says_something_is_refused() {
        for nothing in ["", " \n", "{}", "{ }", "null"] {
            check(nothing, None);
        }
        check(r#"{"inputs": {}, "query": "?"}"#, Some(&["inputs", "query"]));
        for odd in ["[]", "1", "inputs=1"] {
            check(odd, Some(&[""]));
        }
    }
}
