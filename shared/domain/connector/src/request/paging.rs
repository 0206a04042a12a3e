//! The parameters that turn pages, wherever in a request they stand (K-76).

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

use super::{Request, RequestError, scalar, set_query, whole};
use crate::model::{PagePlace, Pagination};

/// The longest cursor that is sent.
const MAX_CURSOR: usize = 8_192;

/// Lets a call go on where an earlier one ended: `cursor` is what its `_next_cursor` said. `query` is the endpoint's: what
/// its author fixed there stays, whatever the cursor says.
///
/// # Errors
/// [`RequestError::Cursor`] when it cannot have come from this endpoint, [`RequestError::CursorName`] when it would give a
/// POST a query that the endpoint does not declare.
pub fn continue_at(
    request: &mut Request,
    pagination: &Pagination,
    query: &IndexMap<String, String>,
    cursor: &Value,
) -> Result<(), RequestError> {
    let number = || match cursor {
        Value::String(text) => text.parse::<u64>().ok(),
        other => other.as_u64(),
    };
    match pagination {
        Pagination::None => return Err(RequestError::Cursor),
        Pagination::Page { page_param, place, .. } => {
            set_param(request, *place, page_param, number().ok_or(RequestError::Cursor)?.into());
        }
        Pagination::Offset { offset_param, place, .. } => {
            set_param(request, *place, offset_param, number().ok_or(RequestError::Cursor)?.into());
        }
        Pagination::Cursor { cursor_param, also, place, .. } => {
            for name in std::iter::once(cursor_param).chain(also.keys()) {
                let value = if also.is_empty() { Some(cursor) } else { cursor.get(name) };
                let text = value.and_then(scalar);
                let text = text.filter(|text| !text.is_empty() && text.len() <= MAX_CURSOR);
                set_param(request, *place, name, text.ok_or(RequestError::Cursor)?.into());
            }
        }
        Pagination::LinkHeader { .. } => {
            // Only the query: the path is the endpoint's, whatever the cursor says.
            let given = cursor.as_str().filter(|text| text.len() <= MAX_CURSOR);
            let mut url = request.url.clone();
            url.set_query(Some(given.ok_or(RequestError::Cursor)?));
            if !request.method.reads() {
                declared(request, query, &url)?;
            }
            keep_fixed(request, query, &mut url);
            keep_key(request, &mut url);
            request.url = url;
        }
    }
    Ok(())
}

/// Refuses a name in the query of an address that neither the endpoint's `query` nor the request has. Somebody said of this
/// POST that it only reads, and a name such as `_method` can make another call of it.
fn declared(
    request: &Request,
    query: &IndexMap<String, String>,
    url: &Url,
) -> Result<(), RequestError> {
    let is_known = |name: &str| {
        query.contains_key(name) || request.url.query_pairs().any(|(known, _)| known == name)
    };
    match url.query_pairs().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(RequestError::CursorName(name.chars().take(64).collect())),
        None => Ok(()),
    }
}

/// Gives an address what the endpoint's author fixed in the query of a request, in place of anything else of those names.
/// A value that is wholly a parameter is not fixed.
fn keep_fixed(request: &Request, query: &IndexMap<String, String>, url: &mut Url) {
    let is_fixed = |name: &str| query.get(name).is_some_and(|template| whole(template).is_none());
    let given = url.query_pairs().filter(|(name, _)| !is_fixed(name));
    let fixed = request.url.query_pairs().filter(|(name, _)| is_fixed(name));
    let pairs: Vec<(String, String)> =
        given.chain(fixed).map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    set_query(url, &pairs);
}

/// Gives a link of the source the key of the request that asked for it, in place of any other.
pub(crate) fn keep_key(request: &Request, url: &mut Url) {
    let Some(name) = &request.key_param else { return };
    let key = request.url.query_pairs().find(|(known, _)| known == name.as_str());
    if let Some((_, key)) = key {
        replace_query(url, name, &key);
    }
}

/// The query of a link without the key: what may be shown, stored and given back.
pub(crate) fn public_query(request: &Request, url: &Url) -> String {
    let shown =
        url.query_pairs().filter(|(name, _)| Some(name.as_ref()) != request.key_param.as_deref());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(shown).finish()
}

/// One parameter of a request, where such parameters stand.
pub(crate) fn param(request: &Request, place: PagePlace, key: &str) -> Option<String> {
    match place {
        PagePlace::Query => request
            .url
            .query_pairs()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.into_owned()),
        PagePlace::Body => request.body.as_ref()?.get(key).and_then(scalar),
    }
}

/// Sets one parameter of a request, where such parameters stand.
pub(crate) fn set_param(request: &mut Request, place: PagePlace, key: &str, value: Value) {
    match place {
        PagePlace::Query => {
            replace_query(&mut request.url, key, &scalar(&value).unwrap_or_default());
        }
        PagePlace::Body => {
            if let Value::Object(body) =
                request.body.get_or_insert_with(|| Value::Object(Map::new()))
            {
                body.insert(key.to_owned(), value);
            }
        }
    }
}

/// The parameters of the first page, where the call does not give them itself.
pub(super) fn first_page(pagination: &Pagination, request: &mut Request) {
    let mut default = |place: PagePlace, key: &str, value: u32| {
        if param(request, place, key).is_none() {
            set_param(request, place, key, value.into());
        }
    };
    match pagination {
        Pagination::None | Pagination::Cursor { .. } | Pagination::LinkHeader { .. } => {}
        Pagination::Page { page_param, size_param, page_size, first_page, place, .. } => {
            default(*place, page_param, *first_page);
            if let Some(size_param) = size_param {
                default(*place, size_param, *page_size);
            }
        }
        Pagination::Offset { offset_param, limit_param, page_size, place, .. } => {
            default(*place, offset_param, 0);
            default(*place, limit_param, *page_size);
        }
    }
}

/// Replaces one parameter of an address.
pub(crate) fn replace_query(url: &mut Url, key: &str, value: &str) {
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| name != key)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let mut pairs = kept;
    pairs.push((key.to_owned(), value.to_owned()));
    set_query(url, &pairs);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{BodyFormat, Method, PageBounds};

    /// The query after a cursor was given to a call whose endpoint fixes `visibility` and declares `page`.
    fn check(method: Method, cursor: &str, expect: Result<&str, &str>) {
        let declared = [("visibility", "public"), ("page", "{page}")];
        let declared = declared.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut request = Request {
            method,
            url: Url::parse("https://a.b/x?visibility=public&sort=up").unwrap(),
            headers: Vec::new(),
            body: None,
            body_format: BodyFormat::Json,
            key_param: None,
        };
        let link = Pagination::LinkHeader { bounds: PageBounds::default() };
        let went_on =
            continue_at(&mut request, &link, &declared.into_iter().collect(), &json!(cursor));
        let found = went_on.map(|()| request.url.query().unwrap_or_default().to_owned());
        let expect = expect.map(str::to_owned);
        assert_eq!(found, expect.map_err(|name| RequestError::CursorName(name.to_owned())));
    }

    /// A POST that only reads says what it sends in its `query`; a cursor adds nothing to that.
    #[test]
    fn k_25_a_cursor_of_a_post_has_declared_names_only() {
        let kept = Ok("page=2&sort=down&visibility=public");
        check(Method::Post, "page=2&sort=down", kept);
        check(Method::Post, "page=2&sort=down&visibility=private", kept);
        check(Method::Post, "page=2&%5fmethod=DELETE", Err("_method"));
        check(Method::Post, "Page=2", Err("Page"));
        check(Method::Get, "after=9", Ok("after=9&visibility=public"));
    }
}
