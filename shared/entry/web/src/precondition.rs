//! `If-Match`: a change that counts only for the version that its author has read. The `ETag` of a document is its version.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::problem::Problem;

const NAME: &str = "If-Match";

/// The value of the header, when there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IfMatch(Option<Tags>);

/// Which versions a header names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tags {
    /// `*`: whatever is there.
    Any,
    /// Strong tags without their quotes; weak ones match nothing (RFC 9110, 8.8.3.2).
    These(Vec<String>),
}

impl IfMatch {
    /// Whether a request says it.
    #[must_use]
    pub fn is_in(headers: &HeaderMap) -> bool {
        headers.contains_key(header::IF_MATCH)
    }

    /// That an operation does not know it: a condition that is ignored would let a change through.
    #[must_use]
    pub fn unknown() -> Problem {
        Problem::field(NAME, "this operation does not look at versions; leave the header out")
    }

    /// Reads all headers of this name.
    ///
    /// # Errors
    /// A problem when it is neither `*` nor a list of tags.
    pub fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let (mut tags, mut is_any, mut is_there) = (Vec::new(), false, false);
        for value in headers.get_all(header::IF_MATCH) {
            is_there = true;
            let text = value.to_str().map_err(|_| malformed())?;
            for tag in text.split(',').map(str::trim) {
                match tag {
                    "*" => is_any = true,
                    tag if tag.starts_with("W/") => {}
                    tag => tags.push(quoted(tag).ok_or_else(malformed)?.to_owned()),
                }
            }
        }
        let tags = if is_any { Tags::Any } else { Tags::These(tags) };
        Ok(Self(is_there.then_some(tags)))
    }

    /// Whether a document of this version may be changed.
    ///
    /// # Errors
    /// 412 when it has another version; 422 when its kind has none.
    pub fn check(&self, version: Option<u64>) -> Result<(), Problem> {
        match (&self.0, version) {
            (None | Some(Tags::Any), _) => Ok(()),
            (Some(Tags::These(_)), None) => {
                let says = "documents of this kind have no version; leave the header out";
                Err(Problem::field(NAME, says))
            }
            (Some(Tags::These(tags)), Some(version)) => {
                let version = version.to_string();
                if tags.contains(&version) { Ok(()) } else { Err(changed(&version)) }
            }
        }
    }
}

fn quoted(tag: &str) -> Option<&str> {
    tag.strip_prefix('"')?.strip_suffix('"').filter(|inner| !inner.contains('"'))
}

fn malformed() -> Problem {
    Problem::field(NAME, "must be `*`, or the `ETag` of an answer with its quotes, as in `\"3\"`")
}

fn changed(version: &str) -> Problem {
    let detail = format!("it has version {version}, which `{NAME}` does not name");
    Problem::new(StatusCode::PRECONDITION_FAILED, "PRECONDITION_FAILED", detail)
        .with_hint("read it again and repeat the change")
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(&parts.headers)
    }
}

/// An answer with the version of what it shows as its `ETag`.
#[derive(Debug, Clone)]
pub struct Tagged<T> {
    /// The version, of a kind that has one.
    pub version: Option<u64>,
    /// What is shown.
    pub shown: T,
}

impl<T: IntoResponse> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let mut response = self.shown.into_response();
        let tag = self.version.map(|version| HeaderValue::try_from(format!("\"{version}\"")));
        if let Some(Ok(tag)) = tag {
            response.headers_mut().insert(header::ETAG, tag);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], version: Option<u64>, expect: Option<u16>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_MATCH, value.parse().unwrap());
        }
        let said = IfMatch::of(&headers).and_then(|tags| tags.check(version));
        assert_eq!(said.err().map(|problem| problem.status), expect, "{values:?} {version:?}");
    }

    #[test]
    fn a_change_counts_for_the_version_that_it_names() {
        check(&[], Some(3), None);
        check(&["*"], Some(3), None);
        check(&["\"3\""], Some(3), None);
        check(&["\"2\", \"3\""], Some(3), None);
        check(&["\"2\"", "\"3\""], Some(3), None);
        check(&["\"999\""], Some(3), Some(412));
        check(&["W/\"3\""], Some(3), Some(412));
    }

    #[test]
    fn a_condition_that_cannot_be_looked_at_is_refused() {
        for odd in ["3", "", "\"3", "\"3\"\"", "\"a\" \"3\""] {
            check(&[odd], Some(3), Some(422));
        }
        check(&["\"3\""], None, Some(422));
        check(&["*"], None, None);
    }

    #[test]
    fn the_tag_of_an_answer_is_its_version() {
        let tag = |version| {
            let response = Tagged { version, shown: "x" }.into_response();
            response.headers().get(header::ETAG).map(|tag| tag.to_str().unwrap().to_owned())
        };
        assert_eq!(tag(Some(3)).as_deref(), Some("\"3\""));
        assert_eq!(tag(None), None);
    }
}
