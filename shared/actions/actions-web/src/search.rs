//! `search_web` (F-045): one action, several providers.

mod results;
mod searxng;
mod setup;
mod tavily;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use countersign_http_out::HttpError;
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::search_web as declared;
use countersign_registry::actions::search_web::{Categories, Found};
use futures::future::BoxFuture;
use tokio::time::Instant;
use url::Url;

use crate::error::WebError;
use crate::quota::{Meter, SearchQuota};
use crate::timing;

pub use setup::{SearchConfig, SearchSetting, SearchSetupError};

/// Categories of one search.
const MAX_CATEGORIES: usize = 5;
/// Characters of a title or snippet.
const MAX_TEXT: usize = 2_000;
/// The largest answer of a provider.
pub(crate) const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// The largest answer of a deep search.
pub(crate) const MAX_DEEP_ANSWER: u64 = 8 * 1024 * 1024;
/// Characters of the texts of all pages that a deep search gives: a model is shown some 48 KB of a result.
const MAX_CONTENT: usize = 24_000;
/// Before the time of a step is over, its search has ended with what was found until then.
const BEFORE_END: Duration = Duration::from_secs(1);
/// What is said where nobody looks deeper.
const NOT_DEEP: &str = "Whoever searches here cannot look deeper: these are the results of a plain search, without the text of the pages.";

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words.
    pub text: String,
    /// At most this many results.
    pub max_results: usize,
    /// Where to look; empty means everywhere.
    pub categories: Vec<String>,
    /// Whether to look deeper, and to give the texts of pages.
    pub is_deep: bool,
    /// How long one request may take.
    pub timeout: Duration,
    /// When the last request has ended.
    pub deadline: Instant,
}

impl Query {
    /// What a request gives, if it gives it by the deadline. After the deadline none is begun, so that none is counted.
    ///
    /// # Errors
    /// [`WebError::SearchUnavailable`] when it is too late; otherwise those of the request.
    async fn in_time<T>(
        &self,
        request: impl Future<Output = Result<T, WebError>>,
    ) -> Result<T, WebError> {
        if Instant::now() >= self.deadline {
            return Err(late());
        }
        tokio::time::timeout_at(self.deadline, request).await.unwrap_or_else(|_| Err(late()))
    }
}

/// One result as the provider gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hit {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The words around what was found.
    pub snippet: String,
    /// How well it fits.
    pub score: Option<f64>,
    /// The text of the page, of a deep search.
    pub content: Option<String>,
}

/// What came of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// The results, best first.
    pub hits: Vec<Hit>,
    /// Where it was not looked although it was asked for, and why; a sentence.
    pub left_out: Option<String>,
}

/// Somebody who searches the web.
pub trait SearchProvider: Send + Sync {
    /// Whether it can look deeper; what is asked to otherwise searches as always.
    fn goes_deep(&self) -> bool;

    /// What it finds, by the deadline. Each request is taken from the meter before it is made. When a request fails after others have
    /// found something, that is the answer, and it says what is left out; one that cannot be counted fails the search.
    fn search<'a>(
        &'a self,
        query: &'a Query,
        meter: Meter<'a>,
    ) -> BoxFuture<'a, Result<Hits, WebError>>;
}

pub(crate) struct SearchWeb {
    pub(crate) provider: Option<Arc<dyn SearchProvider>>,
    pub(crate) quota: Arc<dyn SearchQuota>,
}

impl Perform for SearchWeb {
    type Action = declared::SearchWeb;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        Ok(self.search(call, &inputs, params).await?)
    }
}

impl SearchWeb {
    async fn search(
        &self,
        call: &Call,
        inputs: &declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, WebError> {
        let query = Query {
            text: inputs.query.trim().to_owned(),
            max_results: usize::try_from(params.max_results).unwrap_or(10),
            categories: categories(params.categories)?,
            is_deep: params.deep.unwrap_or_default(),
            timeout: timing::timeout(call),
            deadline: Instant::now() + timing::time(call).saturating_sub(BEFORE_END),
        };
        let provider = self.provider.as_ref().ok_or(WebError::NotConfigured)?;
        let meter = Meter { quota: self.quota.as_ref(), call };
        let searching = tokio::time::timeout(timing::time(call), provider.search(&query, meter));
        let Hits { hits, left_out } = searching.await.map_err(|_| late())??;
        let results = results(hits, query.max_results);
        let warnings: Vec<String> = left_out.iter().cloned().collect();
        let not_deep = (query.is_deep && !provider.goes_deep()).then(|| NOT_DEEP.to_owned());
        let notes: Vec<String> = not_deep.into_iter().chain(left_out).collect();
        let note = (!notes.is_empty()).then(|| notes.join(" "));
        let (count, warning_count) = (results.len(), warnings.len() as u64);
        Ok(declared::Output { results, count, note, warnings, warning_count })
    }
}

fn late() -> WebError {
    WebError::SearchUnavailable("it did not answer in the step's time".to_owned())
}

/// A list of texts, or one text with commas.
fn categories(written: Option<Categories>) -> Result<Vec<String>, WebError> {
    let wrong = || {
        let message = format!("`categories` must be a list of at most {MAX_CATEGORIES} words");
        WebError::Param(message)
    };
    let words: Vec<String> = match written {
        None => Vec::new(),
        Some(Categories::Text(text)) => text.split(',').map(str::to_owned).collect(),
        Some(Categories::Words(words)) => words,
    };
    let mut all: Vec<String> = Vec::new();
    for word in words {
        let word = word.trim().to_lowercase();
        let fits =
            word.len() <= 50 && word.chars().all(|c| c.is_alphanumeric() || " _-".contains(c));
        if !fits {
            return Err(wrong());
        }
        if !word.is_empty() && !all.contains(&word) {
            all.push(word);
        }
    }
    if all.len() > MAX_CATEGORIES { Err(wrong()) } else { Ok(all) }
}

/// Each page once; what is not a web page is left out.
fn results(hits: Vec<Hit>, most: usize) -> Vec<Found> {
    let mut seen = HashSet::new();
    let mut results = Vec::new();
    for hit in hits {
        let Some(url) = web_address(&hit.url) else { continue };
        if results.len() == most || !seen.insert(url.clone()) {
            continue;
        }
        let host = url.host_str().unwrap_or_default();
        results.push(Found {
            title: short(&hit.title),
            url: url.as_str().to_owned(),
            snippet: short(&hit.snippet),
            source: host.strip_prefix("www.").unwrap_or(host).to_owned(),
            score: hit.score,
            content: hit.content,
        });
    }
    shorten(&mut results);
    results
}

/// The texts of pages share the room that there is; what is cut ends with a mark.
fn shorten(results: &mut [Found]) {
    let texts = results.iter_mut().filter_map(|found| found.content.as_mut());
    let texts: Vec<&mut String> = texts.collect();
    let most = MAX_CONTENT / texts.len().max(1);
    for text in texts {
        if let Some((end, _)) = text.char_indices().nth(most) {
            text.truncate(end);
            text.push('…');
        }
    }
}

fn web_address(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "https" | "http"))
}

fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MAX_TEXT).collect()
}

/// What a provider's transport failure means.
fn unreachable(error: HttpError) -> WebError {
    match error {
        HttpError::Timeout { .. } | HttpError::Network { .. } => {
            WebError::SearchUnavailable(error.to_string())
        }
        other => other.into(),
    }
}
