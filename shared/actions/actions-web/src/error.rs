//! Why a page could not be read or the web not searched.

use countersign_failure::{Class, Failure};
use countersign_http_out::HttpError;
use countersign_pages::PageError;
use countersign_registry::action::ActionError;
use countersign_robots::RobotsError;
use countersign_run::QuotaExceeded;
use countersign_store_kit::StoreError;

/// Why a page could not be read or the web not searched. No variant holds a key, a query of an address or a header.
#[derive(Debug, thiserror::Error, Failure)]
pub enum WebError {
    /// An input is missing or not what it must be.
    #[error("{0}")]
    #[failure(code = "BAD_INPUT", status = 422)]
    Input(String),
    /// A param is not what it must be.
    #[error("{0}")]
    #[failure(code = "BAD_PARAM", status = 422)]
    Param(String),
    /// No answer.
    #[error("{0}")]
    #[failure(forward)]
    Http(#[from] HttpError),
    /// The site does not want the page read.
    #[error("{0}")]
    #[failure(forward)]
    Robots(#[from] RobotsError),
    /// The page cannot be read.
    #[error("{0}")]
    #[failure(forward)]
    Page(#[from] PageError),
    /// An answer without a page.
    #[error("`{host}` answered with HTTP {status}")]
    #[failure(code = "PAGE_STATUS", class = *class, status = 502)]
    Status {
        /// The site.
        host: String,
        /// The status.
        status: u16,
        /// Whether trying again can help.
        class: Class,
    },
    /// The searches of whoever asks are used up for today.
    #[error("{0}")]
    #[failure(forward)]
    Quota(#[from] QuotaExceeded),
    /// A search cannot be counted.
    #[error("a search could not be counted: {0}")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The deployment has no search provider.
    #[error("this deployment has no provider for web searches")]
    #[failure(
        code = "SEARCH_NOT_CONFIGURED",
        status = 503,
        help = "set SearchProvider to `searxng` or `tavily` when the stack is deployed"
    )]
    NotConfigured,
    /// The provider refuses the key, or to answer in JSON.
    #[error("the search provider rejects this deployment (HTTP {status})")]
    #[failure(code = "SEARCH_REFUSED", status = 502, help = Some((*help).to_owned()))]
    SearchRefused {
        /// The status.
        status: u16,
        /// What helps.
        help: &'static str,
    },
    /// Too many searches.
    #[error("the search provider asks to search later (HTTP {status})")]
    #[failure(code = "SEARCH_THROTTLED", retryable, status = 503)]
    SearchThrottled {
        /// The status.
        status: u16,
    },
    /// The searches that were paid for are used up.
    #[error("the search provider's plan allows no more searches (HTTP {status})")]
    #[failure(
        code = "SEARCH_QUOTA",
        status = 503,
        help = "raise the plan's limit, or use another provider"
    )]
    SearchQuota {
        /// The status.
        status: u16,
    },
    /// The provider is down.
    #[error("the search provider is unavailable: {0}")]
    #[failure(code = "SEARCH_UNAVAILABLE", retryable, status = 503)]
    SearchUnavailable(String),
    /// The provider does not understand the search.
    #[error("the search provider rejects the search (HTTP {status}): {message}")]
    #[failure(code = "SEARCH_REJECTED", status = 422)]
    SearchRejected {
        /// The status.
        status: u16,
        /// The beginning of what it says.
        message: String,
    },
    /// Its answer is not what it documents.
    #[error("the search provider's answer cannot be read: {0}")]
    #[failure(code = "SEARCH_ANSWER", status = 502)]
    SearchAnswer(String),
}

impl WebError {
    /// Whether a request could not be counted, so that it was not made: whoever tries again finds all there is.
    pub(crate) fn is_uncounted(&self) -> bool {
        matches!(self, Self::Store(_))
    }
}

impl From<WebError> for ActionError {
    fn from(error: WebError) -> Self {
        // The messages above already hold their cause's.
        Self {
            code: error.code(),
            message: error.to_string(),
            class: error.class(),
            help: error.help(),
        }
    }
}
