//! Requests and answers as API Gateway has them (payload format 2.0), reduced to what the door needs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_letter::page::content_security_policy;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// An event of an HTTP API.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Event {
    raw_path: String,
    raw_query_string: String,
    headers: HashMap<String, String>,
    path_parameters: Option<HashMap<String, String>>,
    request_context: EventContext,
    body: Option<String>,
    is_base64_encoded: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventContext {
    http: EventHttp,
    request_id: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventHttp {
    method: String,
}

/// The methods the door knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Post,
    #[default]
    Other,
}

/// A request. Not printable: its path is a secret, and so is its body.
#[derive(Clone, Default)]
pub(crate) struct Incoming {
    pub(crate) method: Method,
    /// What follows `/a/`.
    pub(crate) path: String,
    pub(crate) query: String,
    headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
    /// The gateway's id of the request: what an error page shows.
    pub(crate) reference: String,
}

impl Incoming {
    /// Reads an event.
    pub(crate) fn from_event(event: Value) -> Result<Self, serde_json::Error> {
        let event: Event = serde_json::from_value(event)?;
        let method = match event.request_context.http.method.as_str() {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            "POST" => Method::Post,
            _ => Method::Other,
        };
        let proxy =
            event.path_parameters.as_ref().and_then(|parameters| parameters.get("proxy")).cloned();
        let path =
            proxy.or_else(|| event.raw_path.split_once("/a/").map(|(_, rest)| rest.to_owned()));
        let text = event.body.unwrap_or_default();
        // A body that is not base64 although it says so is unreadable; the form says so.
        let body = if event.is_base64_encoded {
            STANDARD.decode(text).unwrap_or_default()
        } else {
            text.into_bytes()
        };
        let headers = event
            .headers
            .into_iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .collect();
        Ok(Self {
            method,
            path: path.unwrap_or_default(),
            query: event.raw_query_string,
            headers,
            body,
            reference: event.request_context.request_id,
        })
    }

    /// A header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// An answer: always a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) html: String,
    pub(crate) allow: bool,
    /// Where to look instead.
    pub(crate) location: Option<String>,
}

impl Reply {
    pub(crate) fn new(status: u16, html: String) -> Self {
        Self { status, html, allow: false, location: None }
    }

    /// Sends a browser to another page, with a GET.
    pub(crate) fn see(location: String) -> Self {
        Self { location: Some(location), ..Self::new(303, String::new()) }
    }

    /// The answer as API Gateway takes it; `HEAD` gets the headers alone.
    pub(crate) fn into_event(self, method: Method) -> Value {
        let mut headers = json!({
            "content-type": "text/html; charset=utf-8",
            "cache-control": "no-store, max-age=0",
            "pragma": "no-cache",
            "referrer-policy": "same-origin",
            "content-security-policy": content_security_policy(),
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "x-robots-tag": "noindex, nofollow, noarchive",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
            "strict-transport-security": "max-age=63072000",
        });
        if self.allow {
            headers["allow"] = "GET, HEAD, POST".into();
        }
        if let Some(location) = self.location {
            headers["location"] = location.into();
        }
        let body = if method == Method::Head { String::new() } else { self.html };
        json!({ "statusCode": self.status, "headers": headers, "body": body, "isBase64Encoded": false })
    }
}

/// Whether a POST may come from where it says it comes from.
///
/// Our pages ask for the referrer policy `same-origin`, with which browsers name the origin of our forms; `Origin: null` is
/// what a sandboxed or data page sends, and decides nothing. Without an origin `Sec-Fetch-Site`, which no page can
/// forge, has to say that the form was ours, when it is there at all.
pub(crate) fn comes_from_us(request: &Incoming, public_url: &str) -> bool {
    let site = request.header("sec-fetch-site");
    match request.header("origin") {
        None => site.is_none_or(|site| site == "same-origin" || site == "none"),
        // `null` is none of ours either.
        Some(origin) => origin.eq_ignore_ascii_case(origin_of(public_url)),
    }
}

/// `https://host:port` of an address.
fn origin_of(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url[host..].find('/').map_or(url.len(), |slash| host + slash);
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::{Incoming, Method, Reply, comes_from_us};
    use serde_json::json;

    fn check(headers: &[(&str, &str)], expect: bool) {
        let headers: std::collections::HashMap<_, _> = headers.iter().copied().collect();
        let request = Incoming::from_event(json!({ "headers": headers })).unwrap();
        assert_eq!(
            comes_from_us(&request, "https://agents.example.org/base"),
            expect,
            "{headers:?}"
        );
    }

    #[test]
    fn forms_of_other_sites_are_refused() {
        check(&[], true);
        check(&[("Origin", "https://agents.example.org")], true);
        check(&[("sec-fetch-site", "same-origin")], true);
        check(&[("origin", "null"), ("sec-fetch-site", "same-origin")], false);
        check(&[("origin", "null")], false);
        check(&[("origin", "null"), ("sec-fetch-site", "cross-site")], false);
        check(&[("origin", "https://evil.example")], false);
        check(&[("origin", "https://agents.example.org.evil.example")], false);
        check(&[("origin", "http://agents.example.org")], false);
        check(&[("sec-fetch-site", "cross-site")], false);
    }

    #[test]
    fn the_path_is_what_follows_the_door() {
        let of = |event| Incoming::from_event(event).unwrap().path;
        assert_eq!(of(json!({"rawPath": "/a/tok/rows"})), "tok/rows");
        assert_eq!(of(json!({"rawPath": "/stage/a/tok"})), "tok");
        assert_eq!(of(json!({"rawPath": "/x", "pathParameters": {"proxy": "tok"}})), "tok");
        assert_eq!(of(json!({"rawPath": "/elsewhere"})), "");
    }

    #[test]
    fn a_head_has_the_headers_of_a_get_and_no_body() {
        let reply = Reply::new(200, "<p>".to_owned());
        let (get, head) = (reply.clone().into_event(Method::Get), reply.into_event(Method::Head));
        assert_eq!(get["headers"], head["headers"]);
        assert_eq!((get["body"].as_str(), head["body"].as_str()), (Some("<p>"), Some("")));
    }
}
