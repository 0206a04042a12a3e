//! What a path asks for.

use crate::http::Incoming;

/// The longest token, in characters.
const TOKEN_LIMIT: usize = 400;

/// Where a request goes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/a/{token}`
    Page(String),
    /// `/a/{token}/rows?page=`
    Rows(String, u64),
    /// Anything else.
    Unknown,
}

impl Route {
    /// Reads the path and the query of a request.
    pub(crate) fn of(request: &Incoming) -> Self {
        let mut parts = request.path.trim_end_matches('/').split('/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(token), None, None) if is_token(token) => Route::Page(token.to_owned()),
            (Some(token), Some("rows"), None) if is_token(token) => {
                Route::Rows(token.to_owned(), page(&request.query))
            }
            _ => Route::Unknown,
        }
    }

    /// The route for the logs: never the path.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Route::Page(_) => "/a/{token}",
            Route::Rows(..) => "/a/{token}/rows",
            Route::Unknown => "/a/{unknown}",
        }
    }
}

fn is_token(text: &str) -> bool {
    (1..=TOKEN_LIMIT).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

fn page(query: &str) -> u64 {
    let mut values = query.split('&').filter_map(|pair| pair.strip_prefix("page="));
    values.next().and_then(|page| page.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::Route;
    use crate::http::Incoming;
    use serde_json::json;

    fn check(path: &str, query: &str, expect: &Route) {
        let event = json!({"rawPath": format!("/a/{path}"), "rawQueryString": query});
        let route = Route::of(&Incoming::from_event(event).unwrap());
        assert!(route == *expect, "{path}?{query} is {}", route.name());
    }

    #[test]
    fn only_three_shapes_of_path() {
        check("AQ-_09", "", &Route::Page("AQ-_09".to_owned()));
        check("AQ/", "", &Route::Page("AQ".to_owned()));
        check("AQ/rows", "page=3", &Route::Rows("AQ".to_owned(), 3));
        check("AQ/rows", "page=minus", &Route::Rows("AQ".to_owned(), 1));
        check("AQ/rows/x", "", &Route::Unknown);
        check("AQ%2F", "", &Route::Unknown);
        check("", "", &Route::Unknown);
        check(&"A".repeat(401), "", &Route::Unknown);
    }
}
