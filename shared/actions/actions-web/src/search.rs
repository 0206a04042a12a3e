//! `search_web` (F-045): one action, several providers.

mod searxng;
mod setup;
mod tavily;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use countersign_http_out::HttpError;
use countersign_registry::action::{Action, ActionError, Call};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use url::Url;

use crate::error::WebError;
use crate::given;

pub use setup::{SearchConfig, SearchSetting, SearchSetupError};

/// Characters of a search.
const LONGEST_QUERY: usize = 400;
/// Results of one search.
const MOST_RESULTS: u64 = 50;
/// Categories of one search.
const MOST_CATEGORIES: usize = 5;
/// Characters of a title or snippet.
const LONGEST_TEXT: usize = 2_000;
/// The largest answer of a provider.
pub(crate) const MAX_ANSWER: u64 = 4 * 1024 * 1024;

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words.
    pub text: String,
    /// At most this many results.
    pub max_results: usize,
    /// Where to look; empty means everywhere.
    pub categories: Vec<String>,
    /// How long one request may take.
    pub timeout: Duration,
}

/// One result as the provider gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The words around what was found.
    pub snippet: String,
}

/// Somebody who searches the web.
pub trait SearchProvider: Send + Sync {
    /// The results, best first.
    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, WebError>>;
}

pub(crate) struct SearchWeb {
    pub(crate) provider: Option<Arc<dyn SearchProvider>>,
}

impl Action for SearchWeb {
    fn name(&self) -> &'static str {
        "search_web"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move { Ok(self.search(call).await?) })
    }
}

impl SearchWeb {
    async fn search(&self, call: &Call) -> Result<Value, WebError> {
        let query = query(call)?;
        let provider = self.provider.as_ref().ok_or(WebError::NotConfigured)?;
        let searching = tokio::time::timeout(given::time(call), provider.search(&query));
        let hits = searching.await.map_err(|_| late())??;
        let results = results(hits, query.max_results);
        Ok(json!({ "count": results.len(), "results": results }))
    }
}

fn late() -> WebError {
    WebError::SearchUnavailable("it did not answer in the step's time".to_owned())
}

fn query(call: &Call) -> Result<Query, WebError> {
    let text = given::text(call, "query")?;
    if text.chars().count() > LONGEST_QUERY {
        return Err(WebError::Input(format!(
            "the input `query` has more than {LONGEST_QUERY} characters"
        )));
    }
    let max_results = match call.params.get("max_results") {
        None | Some(Value::Null) => 10,
        Some(value) => {
            value.as_u64().filter(|count| (1..=MOST_RESULTS).contains(count)).ok_or_else(|| {
                WebError::Param(format!(
                    "`max_results` must be a whole number from 1 to {MOST_RESULTS}"
                ))
            })?
        }
    };
    Ok(Query {
        text: text.to_owned(),
        max_results: usize::try_from(max_results).unwrap_or(10),
        categories: categories(call.params.get("categories"))?,
        timeout: given::timeout(call),
    })
}

/// A list of texts, or one text with commas.
fn categories(value: Option<&Value>) -> Result<Vec<String>, WebError> {
    let wrong = || {
        let message = format!("`categories` must be a list of at most {MOST_CATEGORIES} words");
        WebError::Param(message)
    };
    let words: Vec<&str> = match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => text.split(',').collect(),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(wrong()),
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
    if all.len() > MOST_CATEGORIES { Err(wrong()) } else { Ok(all) }
}

/// Each page once; what is no web page is left out.
fn results(hits: Vec<Hit>, most: usize) -> Vec<Value> {
    let mut seen = HashSet::new();
    let mut results = Vec::new();
    for hit in hits {
        let Some(url) = web_address(&hit.url) else { continue };
        if results.len() == most || !seen.insert(url.clone()) {
            continue;
        }
        let host = url.host_str().unwrap_or_default();
        results.push(json!({
            "title": short(&hit.title),
            "url": url.as_str(),
            "snippet": short(&hit.snippet),
            "source": host.strip_prefix("www.").unwrap_or(host),
        }));
    }
    results
}

fn web_address(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "https" | "http"))
}

fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_TEXT).collect()
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
