//! Paths with placeholders.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::{RequestError, scalar};

/// Everything but unreserved characters: a value can never become a path separator, a query or another host.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The names in `{…}`, or `None` when a brace is not closed or empty.
#[must_use]
pub fn placeholders(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['{', '}']) {
        let after = rest[open..].strip_prefix('{')?;
        let close = after.find(['{', '}'])?;
        let name = &after[..close];
        if name.is_empty() || !after[close..].starts_with('}') {
            return None;
        }
        names.push(name);
        rest = &after[close + 1..];
    }
    Some(names)
}

/// The path with its values, none of which leaves its segment: a value of one dot is refused wherever it stands, so that no
/// two values, and none beside a written dot, make `..` together.
pub(super) fn fill_path(
    path: &str,
    names: &[&str],
    arguments: &Map<String, Value>,
) -> Result<String, RequestError> {
    let mut filled = String::with_capacity(path.len());
    let mut rest = path;
    for name in names {
        let marker = format!("{{{name}}}");
        let Some((before, after)) = rest.split_once(&marker) else { break };
        let value = arguments.get(*name).filter(|value| !value.is_null());
        let value = value.ok_or_else(|| RequestError::MissingArgument((*name).to_owned()))?;
        let text = scalar(value)
            .ok_or_else(|| RequestError::Argument { name: (*name).to_owned(), place: "path" })?;
        if matches!(text.as_str(), "" | "." | "..") {
            return Err(RequestError::PathValue((*name).to_owned()));
        }
        filled.push_str(before);
        filled.extend(utf8_percent_encode(&text, SEGMENT));
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Whether a segment means this folder or the one above it, as servers read it.
pub(crate) fn is_dots(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}
