//! What an HTTP answer means: its status (F-306…F-311), its records (F-090) and the next page (K-76).

use serde_json::{Map, Value};
use url::Url;

use crate::model::{Pagination, RequestRules};
use crate::request::{Request, replace_query};

/// What to make of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusMeaning {
    /// There is an answer to read.
    Success,
    /// 401, 403: the credential is refused (F-306).
    AuthFailed,
    /// 429: later, at most three times (F-307).
    Throttled,
    /// 5xx and 408: once more (F-308).
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
        408 | 500..=599 => StatusMeaning::Unavailable,
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
}

/// The records of one answer, mapped. A single object counts as one record, `null` as none.
///
/// # Errors
/// [`AnswerError::NoResults`] when nothing stands at the results path.
pub fn records(
    rules: &RequestRules,
    answer: &Value,
) -> Result<Vec<Map<String, Value>>, AnswerError> {
    let found = match &rules.results_path {
        Some(path) => path.find(answer).ok_or_else(|| AnswerError::NoResults(path.to_string()))?,
        None => answer.clone(),
    };
    let items = match found {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    Ok(items.iter().map(|item| record(rules, item)).collect())
}

/// One record: the mapped fields, or the object as it is; what is no object becomes `{value: …}`.
fn record(rules: &RequestRules, item: &Value) -> Map<String, Value> {
    if !rules.fields.is_empty() {
        let field = |(name, path): (&String, &crate::JsonPath)| {
            (name.clone(), path.find(item).unwrap_or(Value::Null))
        };
        return rules.fields.iter().map(field).collect();
    }
    match item {
        Value::Object(fields) => fields.clone(),
        other => [("value".to_owned(), other.clone())].into_iter().collect(),
    }
}

/// The next page, if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct NextPage {
    /// The request for it.
    pub request: Request,
    /// What `_next_cursor` says: a cursor, a page, an offset, or an address without its query.
    pub cursor: Value,
}

/// Where the next page is, after an answer with `count` records. `link` is the answer's `Link` header.
#[must_use]
pub fn next_page(
    pagination: &Pagination,
    request: &Request,
    answer: &Value,
    count: usize,
    link: Option<&str>,
) -> Option<NextPage> {
    match pagination {
        Pagination::None => None,
        Pagination::Page { page_param, page_size, .. } => {
            if count < *page_size as usize {
                return None;
            }
            let page = query_number(&request.url, page_param)? + 1;
            Some(with_query(request, page_param, &page.to_string(), Value::from(page)))
        }
        Pagination::Offset { offset_param, limit_param, page_size, .. } => {
            let limit = query_number(&request.url, limit_param).unwrap_or(u64::from(*page_size));
            if (count as u64) < limit || count == 0 {
                return None;
            }
            let offset = query_number(&request.url, offset_param)? + count as u64;
            Some(with_query(request, offset_param, &offset.to_string(), Value::from(offset)))
        }
        Pagination::Cursor { cursor_param, cursor_path, .. } => {
            let cursor = match cursor_path.find(answer)? {
                Value::String(text) if !text.is_empty() => text,
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            let current = request.url.query_pairs().find(|(name, _)| name == cursor_param.as_str());
            // A source that names the same page again would never end.
            if current.is_some_and(|(_, value)| value == cursor.as_str()) {
                return None;
            }
            Some(with_query(request, cursor_param, &cursor, Value::from(cursor.as_str())))
        }
        Pagination::LinkHeader { .. } => {
            let target = link_next(link?)?;
            let url = request.url.join(&target).ok()?;
            // Credentials stay with the host they are for.
            if url.origin() != request.url.origin() || url == request.url {
                return None;
            }
            let cursor = Value::from(crate::request::public_address(&url));
            Some(NextPage { request: Request { url, ..request.clone() }, cursor })
        }
    }
}

fn query_number(url: &Url, key: &str) -> Option<u64> {
    url.query_pairs().find(|(name, _)| name == key).and_then(|(_, value)| value.parse().ok())
}

fn with_query(request: &Request, key: &str, value: &str, cursor: Value) -> NextPage {
    let mut request = request.clone();
    replace_query(&mut request.url, key, value);
    NextPage { request, cursor }
}

/// The target of `rel="next"` in a `Link` header.
fn link_next(header: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, parameters) = after.split_once('>')?;
        let end = parameters.find('<').unwrap_or(parameters.len());
        let is_next = parameters[..end].split([';', ',']).any(|part| {
            let part = part.trim().to_ascii_lowercase().replace([' ', '"', '\''], "");
            part == "rel=next"
        });
        if is_next {
            return Some(target.to_owned());
        }
        rest = &parameters[end..];
    }
    None
}

#[cfg(test)]
mod tests;
