//! `crawl_url` (F-046, K-38).

use std::time::Duration;

use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_connector::request::public_address;
use countersign_failure::Class;
use countersign_http_out::{Answer, Call as HttpCall, Egress};
use countersign_pages::{Body, ExtractMode, Page};
use countersign_reader::Readers;
use countersign_registry::action::{Action, ActionError, Call};
use countersign_robots::Robots;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use crate::error::WebError;
use crate::given;

/// The largest page read.
const MAX_PAGE: u64 = 10 * 1024 * 1024;
/// Characters of content returned.
const MAX_CONTENT: usize = 100_000;
/// What is understood.
const ACCEPT: &str =
    "text/html,application/xhtml+xml;q=0.9,application/json;q=0.8,text/plain;q=0.8,*/*;q=0.1";

pub(crate) struct CrawlUrl {
    pub(crate) egress: Egress,
    pub(crate) readers: Readers,
    pub(crate) robots: Robots,
}

impl Action for CrawlUrl {
    fn name(&self) -> &'static str {
        "crawl_url"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move { Ok(self.crawl(call).await?) })
    }
}

impl CrawlUrl {
    async fn crawl(&self, call: &Call) -> Result<Value, WebError> {
        let deadline = Instant::now() + given::time(call);
        let url = address(given::text(call, "url")?)?;
        let mode = mode(call)?;
        let timeout = given::timeout(call);
        self.robots.ask(&url, call.now, timeout).await?;
        let answer = self.fetch(url.clone(), timeout.min(left(deadline))).await?;
        // A redirect may lead where the site, or another one, does not want to be read.
        if answer.url != url {
            self.robots.ask(&answer.url, call.now, timeout.min(left(deadline))).await?;
        }
        let body = Body {
            url: &answer.url,
            content_type: answer.header("content-type"),
            bytes: &answer.body,
        };
        let page = self.readers.page(&body, mode, MAX_CONTENT, deadline).await?;
        Ok(output(page, &answer.url, call))
    }

    async fn fetch(&self, url: Url, timeout: Duration) -> Result<Answer, WebError> {
        let http = HttpCall {
            headers: vec![("accept".to_owned(), ACCEPT.to_owned())],
            timeout,
            max_bytes: MAX_PAGE,
            ..HttpCall::get(url)
        };
        let answer = self.egress.send(http).await?;
        let class = match meaning(answer.status) {
            StatusMeaning::Success => return Ok(answer),
            StatusMeaning::Throttled | StatusMeaning::TimedOut | StatusMeaning::Unavailable => {
                Class::Retryable
            }
            _ => Class::Terminal,
        };
        let host = answer.url.host_str().unwrap_or_default().to_owned();
        Err(WebError::Status { host, status: answer.status, class })
    }
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn address(text: &str) -> Result<Url, WebError> {
    let mut url = Url::parse(text).map_err(|error| {
        let shown: String = text.chars().take(120).collect();
        WebError::Input(format!("`{shown}` is not an address: {error}"))
    })?;
    url.set_fragment(None);
    Ok(url)
}

fn mode(call: &Call) -> Result<ExtractMode, WebError> {
    match call.params.get("extract_mode").and_then(Value::as_str).unwrap_or("text") {
        "text" => Ok(ExtractMode::Text),
        "markdown" => Ok(ExtractMode::Markdown),
        "structured" => Ok(ExtractMode::Structured),
        other => {
            let shown: String = other.chars().take(40).collect();
            let message =
                format!("`extract_mode` must be text, markdown or structured, not `{shown}`");
            Err(WebError::Param(message))
        }
    }
}

fn output(page: Page, url: &Url, call: &Call) -> Value {
    let links: Vec<Value> =
        page.links.into_iter().map(|link| json!({ "url": link.url, "text": link.text })).collect();
    let mut metadata = page.metadata;
    metadata.insert("url".to_owned(), public_address(url).into());
    metadata.insert("retrieved_at".to_owned(), call.now.to_string().into());
    json!({ "content": page.content, "title": page.title, "metadata": metadata, "links": links })
}
