//! `crawl_url` (F-046, K-38).

use std::time::Duration;

use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_connector::request::public_address;
use countersign_failure::{Class, address_problem};
use countersign_http_out::{Answer, Call as HttpCall, Egress};
use countersign_pages::{Body, ExtractMode, Page};
use countersign_reader::Readers;
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::crawl_url as declared;
use countersign_robots::Robots;
use tokio::time::Instant;
use url::Url;

use crate::error::WebError;
use crate::timing;

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

impl Perform for CrawlUrl {
    type Action = declared::CrawlUrl;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        Ok(self.crawl(call, &inputs, &params).await?)
    }
}

impl CrawlUrl {
    async fn crawl(
        &self,
        call: &Call,
        inputs: &declared::Inputs,
        params: &declared::Params,
    ) -> Result<declared::Output, WebError> {
        let deadline = Instant::now() + timing::time(call);
        let url = address(inputs.url.trim())?;
        let mode = mode(params.extract_mode);
        let timeout = timing::timeout(call);
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
        let why = address_problem(&error.to_string());
        WebError::Input(format!("`{shown}` is not an address: {why}"))
    })?;
    url.set_fragment(None);
    Ok(url)
}

fn mode(written: declared::ExtractMode) -> ExtractMode {
    match written {
        declared::ExtractMode::Text => ExtractMode::Text,
        declared::ExtractMode::Markdown => ExtractMode::Markdown,
        declared::ExtractMode::Structured => ExtractMode::Structured,
    }
}

fn output(page: Page, url: &Url, call: &Call) -> declared::Output {
    let links =
        page.links.into_iter().map(|link| declared::Link { url: link.url, text: link.text });
    let mut metadata = page.metadata;
    metadata.insert("url".to_owned(), public_address(url).into());
    metadata.insert("retrieved_at".to_owned(), call.now.to_string().into());
    declared::Output { links: links.collect(), content: page.content, title: page.title, metadata }
}
