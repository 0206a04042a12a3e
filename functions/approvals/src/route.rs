//! What a path asks for.

use crate::http::Incoming;

/// The longest token, in characters.
const MAX_TOKEN: usize = 400;

/// Where a request goes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/a/{token}`
    Page(String),
    /// `/a/{token}/rows?page=`
    Rows(String, u64),
    /// `/a/{token}/warnings?page=`
    Warnings(String, u64),
    /// `/a/{token}/effects/{step}/{n}`: one whole request, counted from 1.
    Effect(String, String, u64),
    /// `/a/{token}/strike`: where marked requests are struck out.
    Strike(String),
    /// `/a/{token}/prompt`: the whole question.
    Prompt(String),
    /// Anything else.
    Unknown,
}

impl Route {
    /// Reads the path and the query of a request.
    pub(crate) fn of(request: &Incoming) -> Self {
        let path = request.path.trim_end_matches('/');
        let (token, rest) = path.split_once('/').map_or((path, None), |(t, rest)| (t, Some(rest)));
        if !is_token(token) {
            return Route::Unknown;
        }
        let token = token.to_owned();
        match rest {
            None => Route::Page(token),
            Some("rows") => Route::Rows(token, page(&request.query)),
            Some("warnings") => Route::Warnings(token, page(&request.query)),
            Some("strike") => Route::Strike(token),
            Some("prompt") => Route::Prompt(token),
            Some(rest) => {
                effect(rest).map_or(Route::Unknown, |(step, n)| Route::Effect(token, step, n))
            }
        }
    }

    /// The route for the logs: never the path.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Route::Page(_) => "/a/{token}",
            Route::Rows(..) => "/a/{token}/rows",
            Route::Warnings(..) => "/a/{token}/warnings",
            Route::Effect(..) => "/a/{token}/effects/{step}/{n}",
            Route::Strike(_) => "/a/{token}/strike",
            Route::Prompt(_) => "/a/{token}/prompt",
            Route::Unknown => "/a/{unknown}",
        }
    }
}

fn is_token(text: &str) -> bool {
    (1..=MAX_TOKEN).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

/// `effects/{step}/{n}`
fn effect(path: &str) -> Option<(String, u64)> {
    let (step, n) = path.strip_prefix("effects/")?.split_once('/')?;
    let is_name = is_token(step);
    let n: u64 = n.parse().ok().filter(|n| *n > 0)?;
    is_name.then(|| (step.to_owned(), n))
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
    fn only_known_shapes_of_path() {
        check("AQ-_09", "", &Route::Page("AQ-_09".to_owned()));
        check("AQ/", "", &Route::Page("AQ".to_owned()));
        check("AQ/rows", "page=3", &Route::Rows("AQ".to_owned(), 3));
        check("AQ/rows", "page=minus", &Route::Rows("AQ".to_owned(), 1));
        check("AQ/rows/x", "", &Route::Unknown);
        check("AQ/warnings", "page=2", &Route::Warnings("AQ".to_owned(), 2));
        check("AQ/strike", "", &Route::Strike("AQ".to_owned()));
        check("AQ/prompt", "", &Route::Prompt("AQ".to_owned()));
        let effect = |n| Route::Effect("AQ".to_owned(), "pay_all".to_owned(), n);
        check("AQ/effects/pay_all/51", "", &effect(51));
        for wrong in [
            "AQ/effects",
            "AQ/effects/pay",
            "AQ/effects/pay/0",
            "AQ/effects/pay/x",
            "AQ/effects/p.y/1",
            "AQ/effects/pay/1/2",
        ] {
            check(wrong, "", &Route::Unknown);
        }
        check("AQ%2F", "", &Route::Unknown);
        check("", "", &Route::Unknown);
        check(&"A".repeat(401), "", &Route::Unknown);
    }
}
