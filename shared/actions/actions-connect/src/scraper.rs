//! Calling a `web_scraper` (F-098, K-76): robots.txt first, one page after the other with a pause between, records by
//! selectors.

use std::time::Duration;

use countersign_connector::request::{build, public_address};
use countersign_connector::{Auth, ScrapeRules, ScraperConnection};
use countersign_http_out::{Answer, Call as HttpCall};
use countersign_pages::{Body, PageError, PageRecords};
use countersign_reader::Readers;
use countersign_registry::Warnings;
use countersign_registry::action::Call;
use countersign_robots::Robots;
use serde_json::{Map, Value};
use tokio::time::Instant;
use url::Url;

use crate::binding::Resolved;
use crate::calling::{Caller, arguments};
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::output::{Limit, Origin, shaped, stamp};

/// The largest page read.
const MAX_PAGE: u64 = 10 * 1024 * 1024;

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &ScraperConnection,
    rules: &ScrapeRules,
) -> Result<Value, ConnectError> {
    let arguments = arguments(call, resolved)?;
    let first = build(&connection.as_rest(), &rules.as_request(), &arguments, None)?;
    let reading = Reading {
        caller: Caller::open(deps, call, resolved, &Auth::None, connection.timeout_seconds).await?,
        robots: &deps.robots,
        readers: &deps.readers,
        call,
        resolved,
        rules,
        headers: first.headers,
        home: first.url.clone(),
        delay: Duration::from_secs(u64::from(connection.delay_seconds)),
        timeout: Duration::from_secs(u64::from(connection.timeout_seconds)),
    };
    let pages = reading.pages(first.url).await?;
    let endpoint = &resolved.endpoint;
    let (mut output, missing) = shaped(endpoint, pages.records, pages.has_more, pages.limit);
    let mut warnings: Warnings = missing.into_iter().collect();
    warnings.append(pages.warnings);
    output.insert("_has_more".to_owned(), pages.has_more.into());
    warnings.write(&mut output);
    Ok(output.into())
}

struct Reading<'r> {
    caller: Caller<'r>,
    robots: &'r Robots,
    readers: &'r Readers,
    call: &'r Call,
    resolved: &'r Resolved,
    rules: &'r ScrapeRules,
    headers: Vec<(String, String)>,
    /// The first address: the connector's headers are for its host only.
    home: Url,
    delay: Duration,
    timeout: Duration,
}

#[derive(Default)]
struct Pages {
    records: Vec<Map<String, Value>>,
    has_more: bool,
    limit: Option<Limit>,
    warnings: Warnings,
}

/// One page, and how long the site asks to wait before the next.
struct Read {
    found: PageRecords,
    url: Url,
    patience: Duration,
}

impl Reading<'_> {
    /// Reads pages until there is no next one or a bound is reached. A failure after the first page keeps what is there
    /// and says so (F-309).
    async fn pages(&self, first: Url) -> Result<Pages, ConnectError> {
        let bounds = self.rules.bounds;
        let mut pages = Pages::default();
        let mut seen = vec![first.clone()];
        let mut url = first;
        for number in 1..=bounds.max_pages {
            let room = (bounds.max_records as usize).saturating_sub(pages.records.len());
            let read = match self.page(&url, room).await {
                Ok(read) => read,
                Err(error) if number > 1 => {
                    pages.warnings.push(format!("page {number} could not be read: {error}"));
                    pages.has_more = true;
                    break;
                }
                // F-311: an answer of another kind is said, and empty.
                Err(ConnectError::Page(
                    error @ (PageError::NotHtml(_) | PageError::Pdf | PageError::Format(_)),
                )) => {
                    self.caller.malformed();
                    pages.warnings.push(format!("page {number} was not as expected: {error}"));
                    break;
                }
                Err(error) => return Err(error),
            };
            let next = read.found.next.clone().filter(|next| !seen.contains(next));
            pages.has_more = read.found.more || next.is_some();
            let patience = read.patience;
            self.keep(&mut pages, read, number);
            let full = pages.records.len() >= bounds.max_records as usize;
            if pages.has_more && (full || next.is_some() && number == bounds.max_pages) {
                pages.limit = Limit::of_pages(bounds, full, false);
            }
            let Some(next) = next.filter(|_| number < bounds.max_pages && !full) else { break };
            if !self.wait(patience).await {
                pages
                    .warnings
                    .push(format!("page {} was not read: the step's time ends", number + 1));
                break;
            }
            seen.push(next.clone());
            url = next;
        }
        Ok(pages)
    }

    fn keep(&self, pages: &mut Pages, read: Read, number: u32) {
        if read.found.records.is_empty() && number == 1 {
            let list = self.rules.list.as_ref().map(ToString::to_string).unwrap_or_default();
            pages.warnings.push(format!("page 1 has nothing that matches `{list}`"));
        }
        for warning in read.found.warnings {
            pages.warnings.push(format!("page {number}, {warning}"));
        }
        let reference = public_address(&read.url);
        let origin = Origin { reference: &reference, name: "" };
        for mut record in read.found.records {
            stamp(&mut record, self.resolved, self.call, &origin);
            pages.records.push(record);
        }
    }

    /// Pauses between two requests: as the connector says, as the site asks, as the rate allows. False when the step
    /// would end meanwhile.
    async fn wait(&self, patience: Duration) -> bool {
        let pause = self.delay.max(patience);
        if pause >= self.caller.left() {
            return false;
        }
        tokio::time::sleep(pause).await;
        self.caller.pace().await;
        true
    }

    async fn page(&self, url: &Url, room: usize) -> Result<Read, ConnectError> {
        let patience = self.permitted(url).await?;
        let answer = self.caller.send(&self.http(url), false).await?;
        // A redirect may lead where the site, or another one, does not want to be read.
        if answer.url != *url {
            self.permitted(&answer.url).await?;
        }
        let found = self.read(&answer, room).await?;
        Ok(Read { found, url: answer.url, patience })
    }

    async fn permitted(&self, url: &Url) -> Result<Duration, ConnectError> {
        let timeout = self.timeout.min(self.caller.left());
        Ok(self.robots.ask(url, self.call.now, timeout).await?)
    }

    fn http(&self, url: &Url) -> HttpCall {
        let at_home = url.origin() == self.home.origin();
        let headers = self.headers.iter().filter(|(name, _)| at_home || name == "accept");
        HttpCall {
            headers: headers.cloned().collect(),
            max_bytes: MAX_PAGE,
            ..HttpCall::get(url.clone())
        }
    }

    async fn read(&self, answer: &Answer, room: usize) -> Result<PageRecords, ConnectError> {
        let deadline = Instant::now() + self.caller.left();
        let body = Body {
            url: &answer.url,
            content_type: answer.header("content-type"),
            bytes: &answer.body,
        };
        Ok(self.readers.records(self.rules, &body, room, deadline).await?)
    }
}
