//! A provider as its documentation describes it: what it wants to be asked, and its answers, page by page.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use countersign_connector::{
    Auth, ConfigOverrides, Connection, ConnectorDefinition, Endpoint, JsonPath, Operation,
    Pagination,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;
use wiremock::{Request, Respond, ResponseTemplate};

/// The secret in every part of the credential.
pub(crate) const KEY: &str = "s3cr3t-library-key";

/// What a provider expects and how it refuses: `cases.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cases {
    /// `none`, `query {name}` or `header {name}: {value}`.
    pub(crate) auth: String,
    pub(crate) endpoints: BTreeMap<String, Case>,
    pub errors: Vec<Refusal>,
}

/// One call of an endpoint.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) arguments: Map<String, Value>,
    /// `GET /path`, below the template's base address; `FILE` and `TOOL {action}` call no server.
    pub(crate) request: String,
    /// Every query parameter, and no other; a list stands for one that is repeated.
    #[serde(default)]
    query: Map<String, Value>,
    #[serde(default)]
    body: Option<Value>,
    /// What the request for the second page has in place of the first's.
    #[serde(default)]
    pub(crate) next: Option<Map<String, Value>>,
    /// Records in the fixture.
    pub(crate) records: usize,
}

impl Case {
    pub(crate) fn is_local(&self) -> bool {
        self.request == "FILE" || self.request.starts_with("TOOL ")
    }
}

/// A refusal as the provider documents it, and what must become of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusal {
    pub(crate) endpoint: String,
    pub(crate) status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Value,
    pub(crate) code: String,
    /// A part of the message.
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn answer(&self) -> ResponseTemplate {
        let answer =
            self.headers.iter().fold(ResponseTemplate::new(self.status), |answer, header| {
                answer.insert_header(header.0.as_str(), header.1.as_str())
            });
        match &self.body {
            Value::String(text) => answer.set_body_raw(text.as_str(), kind(text)),
            json => answer.set_body_json(json),
        }
    }
}

/// Points what no binding can override to this machine, without pauses between calls.
pub(crate) fn bring_home(definition: &mut ConnectorDefinition, home: &str) {
    let moved = |address: &str| {
        let url = Url::parse(address).unwrap();
        format!("{home}{}", &url[url::Position::BeforePath..])
    };
    match &mut definition.connection {
        Connection::RestApi(rest) => {
            rest.rate_limit = None;
            if let Auth::Oauth2ClientCredentials(server) | Auth::Oauth2RefreshToken(server) =
                &mut rest.auth
            {
                server.token_url = moved(&server.token_url);
            }
        }
        Connection::Graphql(graphql) => graphql.rate_limit = None,
        Connection::RssFeed(feeds) => {
            feeds.feeds.iter_mut().for_each(|feed| feed.url = moved(&feed.url));
        }
        Connection::WebScraper(scraper) => scraper.delay_seconds = 0,
        _ => {}
    }
}

/// What a binding to this machine overrides.
pub(crate) fn overrides(
    definition: &ConnectorDefinition,
    auth: &str,
    home: &str,
) -> ConfigOverrides {
    let headers = auth
        .strip_prefix("header user-agent: ")
        .map(|contact| serde_json::from_value(json!({ "user-agent": contact })).unwrap());
    ConfigOverrides {
        base_url: address(definition).map(|url| format!("{home}{}", base_path(&url))),
        headers: headers.unwrap_or_default(),
        ..ConfigOverrides::default()
    }
}

fn address(definition: &ConnectorDefinition) -> Option<Url> {
    let text = match &definition.connection {
        Connection::RestApi(rest) => &rest.base_url,
        Connection::Graphql(graphql) => &graphql.endpoint,
        Connection::WebScraper(scraper) => &scraper.base_url,
        _ => return None,
    };
    Some(Url::parse(text).unwrap())
}

fn base_path(url: &Url) -> &str {
    url.path().trim_end_matches('/')
}

/// The answers of one call.
pub(crate) struct Pages {
    pub(crate) bodies: Vec<String>,
    /// Records the first page was filled up to, for sources that only say by a full page that there is more.
    filled: Option<usize>,
}

impl Pages {
    pub(crate) fn records(&self, of_fixture: usize) -> usize {
        self.filled.map_or(of_fixture * self.bodies.len(), |filled| filled + of_fixture)
    }
}

/// The fixture says that there is more; the last page is the same without that.
pub(crate) fn pages(endpoint: &Endpoint, fixture: &str) -> Pages {
    let json = || serde_json::from_str::<Value>(fixture).unwrap();
    let two = |last: String| Pages { bodies: vec![fixture.to_owned(), last], filled: None };
    let one = || Pages { bodies: vec![fixture.to_owned()], filled: None };
    match &endpoint.operation {
        Operation::Request(rules) if rules.bounds().max_pages > 1 => match &rules.pagination {
            Pagination::Cursor { cursor_path: path, .. }
            | Pagination::Page { more_path: Some(path), .. }
            | Pagination::Offset { more_path: Some(path), .. } => {
                two(with(json(), path.as_str(), Value::Null))
            }
            Pagination::Page { page_size, .. } | Pagination::Offset { page_size, .. } => {
                let size = *page_size as usize;
                let first = full(json(), rules.mapping.results_path.as_ref(), size);
                Pages { bodies: vec![first, fixture.to_owned()], filled: Some(size) }
            }
            Pagination::None | Pagination::LinkHeader { .. } => one(),
        },
        Operation::Graphql(rules) => {
            let turned = rules.pagination.as_ref().filter(|pages| pages.bounds.max_pages > 1);
            turned.map_or_else(one, |pages| {
                let flag = format!("{}.hasNextPage", pages.page_info_path);
                two(with(json(), &flag, false.into()))
            })
        }
        Operation::Scrape(rules) if rules.next_page.is_some() => {
            two(fixture.replace("class=\"next\"", "class=\"last\""))
        }
        _ => one(),
    }
}

fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

fn with(mut json: Value, path: &str, value: Value) -> String {
    *json.pointer_mut(&pointer(path)).unwrap_or_else(|| panic!("the fixture has no `{path}`")) =
        value;
    json.to_string()
}

/// The fixture with its records repeated until the page is full.
fn full(mut json: Value, results: Option<&JsonPath>, size: usize) -> String {
    let place = json.pointer_mut(&pointer(results.unwrap().as_str())).unwrap();
    let records = place.as_array().unwrap().clone();
    *place = records.into_iter().cycle().take(size).collect();
    json.to_string()
}

/// The provider.
#[derive(Clone)]
pub(crate) struct Provider(Arc<Inner>);

struct Inner {
    auth: String,
    base: String,
    case: Case,
    pages: Vec<String>,
    detail: Option<String>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: usize,
    complaints: Vec<String>,
}

impl Provider {
    pub(crate) fn new(
        definition: &ConnectorDefinition,
        auth: &str,
        case: &Case,
        pages: &Pages,
    ) -> Self {
        let whole = matches!(definition.connection, Connection::Graphql(_));
        let base = address(definition).filter(|_| !whole);
        Self(Arc::new(Inner {
            auth: auth.to_owned(),
            base: base.map(|url| base_path(&url).to_owned()).unwrap_or_default(),
            case: case.clone(),
            pages: pages.bodies.clone(),
            detail: None,
            seen: Mutex::default(),
        }))
    }

    /// The same, with what each address below that of the list answers.
    pub(crate) fn detailed(mut self, detail: Option<String>) -> Self {
        Arc::get_mut(&mut self.0).unwrap().detail = detail;
        self
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        self.0.seen.lock().unwrap().complaints.clone()
    }

    /// Whether a request is the one that comes next.
    pub(crate) fn expects(&self, request: &Request) -> bool {
        let number = self.0.seen.lock().unwrap().requests;
        number < self.0.pages.len() && self.0.complaints(request, number).is_empty()
    }

    pub(crate) fn answered(&self) -> usize {
        self.0.seen.lock().unwrap().requests
    }
}

fn kind(body: &str) -> &'static str {
    match body.trim_start() {
        text if text.starts_with('{') => "application/json",
        text if text.starts_with("<?xml") => "application/rss+xml",
        text if text.starts_with('<') => "text/html",
        _ => "text/plain",
    }
}

/// Whether a list that goes on is as the endpoint wants it.
pub(crate) fn wants_the_first_only(endpoint: &Endpoint) -> bool {
    match &endpoint.operation {
        Operation::Request(rules) => rules.bounds().first_only,
        Operation::Graphql(rules) => {
            rules.pagination.as_ref().is_some_and(|pages| pages.bounds.first_only)
        }
        _ => false,
    }
}

/// Where token servers of shipped connectors answer.
pub(crate) const TOKENS: [&str; 2] = ["/v3/token", "/token"];

/// A token server's answer.
pub(crate) fn token() -> ResponseTemplate {
    ResponseTemplate::new(200)
        .set_body_json(json!({ "access_token": "bought-token", "expiresIn": 86_400 }))
}

impl Respond for Provider {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        match request.url.path() {
            "/robots.txt" => return ResponseTemplate::new(404),
            at if TOKENS.contains(&at) => return token(),
            _ => {}
        }
        if let Some(detail) = self.0.detail_at(request) {
            return ResponseTemplate::new(200).set_body_raw(detail, "application/json");
        }
        let mut seen = self.0.seen.lock().unwrap();
        let number = seen.requests;
        seen.requests += 1;
        let complaints = self.0.complaints(request, number);
        seen.complaints.extend(complaints);
        match self.0.pages.get(number) {
            Some(body) => ResponseTemplate::new(200).set_body_raw(body.as_str(), kind(body)),
            None => ResponseTemplate::new(410),
        }
    }
}

impl Inner {
    fn complaints(&self, request: &Request, number: usize) -> Vec<String> {
        let next = self.case.next.clone().filter(|_| number > 0).unwrap_or_default();
        let in_body = self.case.body.is_some();
        let mut query = self.case.query.clone();
        query.extend(next.clone().into_iter().filter(|_| !in_body));
        let mut body = self.case.body.clone();
        if let Some(body) = &mut body {
            merge(body, Value::Object(next));
        }
        let (method, path) = self.case.request.split_once(' ').unwrap();
        let expected = [
            ("method", Value::from(method), Value::from(request.method.as_str())),
            ("path", format!("{}{path}", self.base).into(), request.url.path().into()),
            ("query", expected_query(&query), sent_query(request)),
            ("body", body.unwrap_or_default(), sent_body(request)),
            ("header", self.header(), self.sent_header(request)),
        ];
        let wrong = expected.into_iter().filter(|(_, expect, found)| expect != found);
        wrong.map(|(what, expect, found)| format!("{what} must be {expect}, is {found}")).collect()
    }

    /// The answer to a request for one record of the list.
    fn detail_at(&self, request: &Request) -> Option<&str> {
        let (_, path) = self.case.request.split_once(' ')?;
        let below = request.url.path().strip_prefix(&format!("{}{path}/", self.base))?;
        self.detail.as_deref().filter(|_| !below.is_empty())
    }

    /// The header that proves who asks, or that there is none.
    fn header(&self) -> Value {
        let value = self.auth.strip_prefix("header ").and_then(|header| header.split_once(": "));
        value.map_or(Value::Null, |(_, value)| value.replace("{key}", KEY).into())
    }

    fn sent_header(&self, request: &Request) -> Value {
        let header = self.auth.strip_prefix("header ").and_then(|header| header.split_once(": "));
        let name = header.map_or("authorization", |(name, _)| name);
        let values: Vec<_> = request.headers.get_all(name).iter().collect();
        match values[..] {
            [] => Value::Null,
            [one] => one.to_str().unwrap().into(),
            _ => format!("{} times", values.len()).into(),
        }
    }
}

fn expected_query(query: &Map<String, Value>) -> Value {
    let list = |value: &Value| match value {
        Value::Array(items) => items.clone(),
        one => vec![Value::from(one.as_str().unwrap().replace("{key}", KEY))],
    };
    query
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(list(value))))
        .collect::<Map<_, _>>()
        .into()
}

fn sent_query(request: &Request) -> Value {
    let mut query: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in request.url.query_pairs() {
        query.entry(name.into_owned()).or_default().push(value.into_owned());
    }
    json!(query)
}

/// A GraphQL document is the template's own; its variables are what counts.
fn sent_body(request: &Request) -> Value {
    let mut body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    if let Some(document) = body.get("query").and_then(Value::as_str) {
        assert!(document.trim_start().starts_with("query"), "{document}");
        body.as_object_mut().unwrap().remove("query");
    }
    body
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}
