//! What an HTTP answer means: its status (F-306…F-311) and the next page (K-76).

mod meaning;

use serde_json::{Map, Value};
use url::Url;

use crate::empty_fields::is_given;
use crate::json_path::JsonPath;
use crate::model::{PagePlace, Pagination};
use crate::request::{Request, keep_key, param, public_query, set_param};

pub use meaning::{StatusMeaning, meaning, meaning_of};

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
        (Pagination::LinkHeader { .. }, Some(link)) => linked(request, link, count),
        _ => counted(pagination, request, answer, count),
    }
}

/// The next page by its number or by what stands in the answer.
fn counted(
    pagination: &Pagination,
    request: &Request,
    answer: &Value,
    count: usize,
) -> Result<Option<NextPage>, Unreachable> {
    let number = |place, key: &str| param(request, place, key).and_then(|text| text.parse().ok());
    match pagination {
        Pagination::None | Pagination::LinkHeader { .. } => Ok(None),
        Pagination::Page { page_param, size_param, page_size, place, more_path, .. } => {
            let size = size_param.as_ref().and_then(|key| number(*place, key));
            let size = size.unwrap_or(u64::from(*page_size));
            if !goes_on(more_path.as_ref(), answer, count, size)? {
                return Ok(None);
            }
            let page = number(*place, page_param).and_then(|page| page.checked_add(1));
            let page = page.ok_or(Unreachable::Nowhere)?;
            Ok(Some(with_param(request, *place, page_param, Value::from(page))))
        }
        Pagination::Offset { offset_param, limit_param, page_size, place, more_path, .. } => {
            let limit = number(*place, limit_param).unwrap_or(u64::from(*page_size));
            if !goes_on(more_path.as_ref(), answer, count, limit)? {
                return Ok(None);
            }
            let offset = number(*place, offset_param);
            let offset = offset.and_then(|offset| offset.checked_add(count as u64));
            let offset = offset.ok_or(Unreachable::Nowhere)?;
            Ok(Some(with_param(request, *place, offset_param, Value::from(offset))))
        }
        Pagination::Cursor { cursor_param, cursor_path, also, place, .. } => {
            let Some(own) = cursor_path.find(answer).filter(is_there) else { return Ok(None) };
            let mut cursor = Map::new();
            cursor.insert(cursor_param.clone(), cursor_value(Some(own), cursor_param)?);
            for (name, path) in also {
                cursor.insert(name.clone(), cursor_value(path.find(answer), name)?);
            }
            at_cursor(request, *place, cursor_param, cursor, count)
        }
    }
}

/// The page at a cursor. A source that names the same page again would never end; after an empty page it says that this was the last.
fn at_cursor(
    request: &Request,
    place: PagePlace,
    cursor_param: &str,
    mut cursor: Map<String, Value>,
    count: usize,
) -> Result<Option<NextPage>, Unreachable> {
    let is_current = |(name, value): (&String, &Value)| {
        param(request, place, name).is_some_and(|current| *value == *current)
    };
    if cursor.iter().all(is_current) {
        return same_again(count);
    }
    let mut request = request.clone();
    for (name, value) in &cursor {
        set_param(&mut request, place, name, value.clone());
    }
    let shown = if cursor.len() == 1 { cursor.remove(cursor_param) } else { None };
    Ok(Some(NextPage { request, cursor: shown.unwrap_or(Value::Object(cursor)) }))
}

/// What it means that a page with `count` records leads to itself.
fn same_again(count: usize) -> Result<Option<NextPage>, Unreachable> {
    if count == 0 { Ok(None) } else { Err(Unreachable::Nowhere) }
}

/// Whether another page follows one with `count` records: as the answer says, or, where it says nothing, because the page is
/// full. An empty page does not lead to another.
fn goes_on(
    more_path: Option<&JsonPath>,
    answer: &Value,
    count: usize,
    size: u64,
) -> Result<bool, Unreachable> {
    // An answer without the key says nothing: some sources leave it out at the end, others call it something else.
    let told = |path: &JsonPath| match path.find(answer) {
        None => path.ends_at_null(answer).then_some(false),
        Some(value) => Some(says_more(&value)),
    };
    let said = more_path.and_then(told);
    match (said, count) {
        (Some(true), 0) => Err(Unreachable::Nowhere),
        (None, 0) => Ok(false),
        (said, count) => Ok(said.unwrap_or(count as u64 >= size)),
    }
}

/// Whether a value says that there is more.
fn says_more(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty() && text != "false",
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}

/// Whether something is where a cursor should be.
fn is_there(value: &Value) -> bool {
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    is_given(value) && !is_empty && *value != Value::Bool(false)
}

/// The cursor as text; an error when the answer has neither a text nor a number there.
fn cursor_value(value: Option<Value>, name: &str) -> Result<Value, Unreachable> {
    let text = value.and_then(|value| text_of(value, name));
    text.map(Value::from).ok_or(Unreachable::Nowhere)
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

fn linked(request: &Request, link: &str, count: usize) -> Result<Option<NextPage>, Unreachable> {
    let Some(target) = link_next(link) else { return Ok(None) };
    let mut url = request.url.join(target).map_err(|_| Unreachable::NoAddress)?;
    // Credentials stay with the host they are for.
    if url.origin() != request.url.origin() {
        // Without the rest of it, which may hold a key.
        let origin = url.origin().ascii_serialization();
        return Err(Unreachable::Elsewhere(origin.chars().take(200).collect()));
    }
    keep_key(request, &mut url);
    if url == request.url {
        return same_again(count);
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
