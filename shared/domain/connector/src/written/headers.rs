//! Headers of requests.

use countersign_document::{Named, Rules};
use indexmap::IndexMap;

use super::text::{HeaderName, HeaderValue};
use crate::header::is_header;
use crate::model;

/// Headers with their names in lower case.
pub(super) fn headers(written: &Headers) -> IndexMap<String, String> {
    let lower = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_ascii_lowercase(), value.as_str().to_owned())
    };
    written.iter().map(lower).collect()
}

/// Headers by name.
pub(super) type Headers = Named<HeaderName, HeaderValue>;

/// Refuses headers that the credential or the key would replace, and two names of one header.
pub(super) fn check_free(
    headers: &Headers,
    auth: Option<&model::Auth>,
    key_header: Option<&str>,
    rules: &mut Rules<'_>,
) {
    let mut seen: Vec<&str> = Vec::new();
    for name in headers.keys().map(HeaderName::as_str) {
        let pointer = format!("/{}", countersign_document::escaped(name));
        if auth.and_then(model::Auth::header).is_some_and(|own| is_header(own, name)) {
            let message = format!("the header `{name}` carries the credential");
            let hint = "leave it out: its value comes from the vault".to_owned();
            rules.at_key("header", &pointer, message, hint);
        } else if key_header.is_some_and(|own| is_header(own, name)) {
            let message = format!("the header `{name}` carries the idempotency key");
            let hint = "leave it out: every call has a key of its own".to_owned();
            rules.at_key("header", &pointer, message, hint);
        } else if seen.iter().any(|other| is_header(other, name)) {
            let message = format!("the header `{name}` is set twice");
            rules.at_key("duplicate", &pointer, message, None);
        }
        seen.push(name);
    }
}
