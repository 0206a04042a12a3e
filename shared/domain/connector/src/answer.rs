//! What an HTTP answer means: its status (F-306…F-311) and the next page (K-76).

use serde_json::{Map, Value};
use url::Url;

use crate::json_path::JsonPath;
use crate::model::{PagePlace, Pagination};
use crate::request::{Request, keep_key, param, public_query, set_param};

/// What to make of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusMeaning {
    /// There is an answer to read.
    Success,
    /// 401, 403: the credential is refused (F-306).
    AuthFailed,
    /// 429: later, at most three times (F-307).
    Throttled,
    /// 408: once more, and not counted as a failure of the source (K-74).
    TimedOut,
    /// 5xx: once more (F-308).
    Unavailable,
    /// Any other 4xx: the request is wrong and stays wrong.
    Refused,
    /// 1xx or 3xx that was not followed.
    Unexpected,
}

/// What a status means.
#[must_use]
pub fn meaning(status: u16) -> StatusMeaning {
    match status {
        200..=299 => StatusMeaning::Success,
        401 | 403 | 407 => StatusMeaning::AuthFailed,
        429 => StatusMeaning::Throttled,
        408 => StatusMeaning::TimedOut,
        500..=599 => StatusMeaning::Unavailable,
        400..=499 => StatusMeaning::Refused,
        _ => StatusMeaning::Unexpected,
    }
}

/// Why an answer has no records (F-311).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// It is not JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// Nothing stands at the results path.
    #[error("the answer has nothing at `{0}`")]
    NoResults(String),
    /// It is JSON, and no answer to a document.
    #[error("the answer is not one of GraphQL: it has neither `data` nor `errors`")]
    NotGraphql,
}

/// The next page, if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct NextPage {
    /// The request for it.
    pub request: Request,
    /// What `_next_cursor` says: a cursor, a page, an offset, or the query of a link without the key. Null when only the
    /// same call can go on, because the link leads to another path.
    pub cursor: Value,
}

/// Why a page that the source has cannot be asked for: what was read is not all of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// It is not where the connector's credential may be sent.
    #[error(
        "there is more, but the next page is said to be at `{0}`, which is not the connector's address: it was not fetched"
    )]
    Elsewhere(String),
    /// What leads to it is not an address.
    #[error(
        "there is more, but the source's link to the next page is not an address: it was not fetched"
    )]
    NoAddress,
    /// Nothing leads to it, or only what led to this one.
    #[error("the source says that there is more, but not where: the next page was not fetched")]
    Nowhere,
}

/// Where the next page is, after an answer with `count` records. `link` is the answer's `Link` header, or all of them
/// with commas between.
///
/// # Errors
/// [`Unreachable`] when there is a next page, and no request for it.
pub fn next_page(
    pagination: &Pagination,
    request: &Request,
    answer: &Value,
    count: usize,
    link: Option<&str>,
) -> Result<Option<NextPage>, Unreachable> {
    match (pagination, link) {
        (Pagination::LinkHeader { .. }, Some(link)) => linked(request, link),
        (Pagination::Cursor { .. }, _) => by_cursor(pagination, request, answer),
        _ => Ok(counted(pagination, request, answer, count)),
    }
}

/// The next page by its number.
fn counted(
    pagination: &Pagination,
    request: &Request,
    answer: &Value,
    count: usize,
) -> Option<NextPage> {
    let number = |place, key: &str| param(request, place, key).and_then(|text| text.parse().ok());
    match pagination {
        Pagination::None | Pagination::LinkHeader { .. } | Pagination::Cursor { .. } => None,
        Pagination::Page { page_param, size_param, page_size, place, more_path, .. } => {
            let size = size_param.as_ref().and_then(|key| number(*place, key));
            if !goes_on(more_path.as_ref(), answer, count, size.unwrap_or(u64::from(*page_size))) {
                return None;
            }
            let page = number(*place, page_param)?.checked_add(1)?;
            Some(with_param(request, *place, page_param, Value::from(page)))
        }
        Pagination::Offset { offset_param, limit_param, page_size, place, more_path, .. } => {
            let limit = number(*place, limit_param).unwrap_or(u64::from(*page_size));
            if !goes_on(more_path.as_ref(), answer, count, limit) {
                return None;
            }
            let offset = number(*place, offset_param)?.checked_add(count as u64)?;
            Some(with_param(request, *place, offset_param, Value::from(offset)))
        }
    }
}

/// The next page by what the answer says of it. Values that go with a cursor and are not there leave it useless: the source has
/// more, and does not say where.
fn by_cursor(
    pagination: &Pagination,
    request: &Request,
    answer: &Value,
) -> Result<Option<NextPage>, Unreachable> {
    let Pagination::Cursor { cursor_param, cursor_path, also, place, .. } = pagination else {
        return Ok(None);
    };
    let read = |path: &JsonPath, name: &str| text_of(path.find(answer)?, name);
    let Some(own) = read(cursor_path, cursor_param) else { return Ok(None) };
    let mut cursor = Map::new();
    cursor.insert(cursor_param.clone(), own.into());
    for (name, path) in also {
        cursor.insert(name.clone(), read(path, name).ok_or(Unreachable::Nowhere)?.into());
    }
    // A source that names the same page again would never end.
    let is_same = |(name, value): (&String, &Value)| {
        param(request, *place, name).is_some_and(|current| *value == *current)
    };
    if cursor.iter().all(is_same) {
        return Ok(None);
    }
    let mut request = request.clone();
    for (name, value) in &cursor {
        set_param(&mut request, *place, name, value.clone());
    }
    let shown = if also.is_empty() { cursor.remove(cursor_param) } else { None };
    Ok(Some(NextPage { request, cursor: shown.unwrap_or(Value::Object(cursor)) }))
}

/// Whether another page follows one with `count` records: as the answer says, or because the page is full.
fn goes_on(more_path: Option<&JsonPath>, answer: &Value, count: usize, size: u64) -> bool {
    let said = more_path.map(|path| match path.find(answer) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty() && text != "false",
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(_) => true,
    });
    count > 0 && said.unwrap_or(count as u64 >= size)
}

fn text_of(value: Value, name: &str) -> Option<String> {
    match value {
        Value::String(text) => in_address(text, name),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A cursor, or the value of its parameter when the source gives the whole address of the next page.
fn in_address(text: String, cursor_param: &str) -> Option<String> {
    if text.starts_with("https://") || text.starts_with("http://") {
        let url = Url::parse(&text).ok()?;
        let found = url.query_pairs().find(|(name, _)| name == cursor_param);
        return found.map(|(_, value)| value.into_owned()).filter(|value| !value.is_empty());
    }
    (!text.is_empty()).then_some(text)
}

fn linked(request: &Request, link: &str) -> Result<Option<NextPage>, Unreachable> {
    let Some(target) = link_next(link) else { return Ok(None) };
    let mut url = request.url.join(target).map_err(|_| Unreachable::NoAddress)?;
    // Credentials stay with the host they are for.
    if url.origin() != request.url.origin() {
        // Without the rest of it, which may hold a key.
        let origin = url.origin().ascii_serialization();
        return Err(Unreachable::Elsewhere(origin.chars().take(200).collect()));
    }
    keep_key(request, &mut url);
    // A source that names the same page again would never end.
    if url == request.url {
        return Ok(None);
    }
    let cursor = if url.path() == request.url.path() {
        Value::from(public_query(request, &url))
    } else {
        Value::Null
    };
    Ok(Some(NextPage { request: Request { url, ..request.clone() }, cursor }))
}

fn with_param(request: &Request, place: PagePlace, key: &str, cursor: Value) -> NextPage {
    let mut request = request.clone();
    set_param(&mut request, place, key, cursor.clone());
    NextPage { request, cursor }
}

/// The target of the first link of a `Link` header whose relations have `next` among them.
fn link_next(header: &str) -> Option<&str> {
    let mut rest = header;
    loop {
        let (_, after) = rest.split_once('<')?;
        let (target, parameters) = after.split_once('>')?;
        let (is_next, after) = relations(parameters);
        if is_next {
            return Some(target);
        }
        rest = after;
    }
}

/// Whether the parameters of a link say `next`, and what follows the link. Commas and brackets may stand in quotes.
fn relations(parameters: &str) -> (bool, &str) {
    let mut is_next = false;
    let mut rest = parameters;
    loop {
        let end = unquoted(rest, &[';', ',', '<']);
        let (name, value) = rest[..end].split_once('=').unwrap_or_default();
        let mut relations = value.split([' ', '\t', '"', '\'']);
        is_next |= name.trim().eq_ignore_ascii_case("rel")
            && relations.any(|relation| relation.eq_ignore_ascii_case("next"));
        match rest[end..].strip_prefix(';') {
            Some(after) => rest = after,
            None => return (is_next, &rest[end..]),
        }
    }
}

/// Where one of these characters stands first outside double quotes, or the end.
fn unquoted(text: &str, ends: &[char]) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    let end = text.find(|c: char| {
        let was_escaped = escaped;
        escaped = quoted && c == '\\' && !was_escaped;
        quoted ^= c == '"' && !was_escaped;
        !quoted && ends.contains(&c)
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
