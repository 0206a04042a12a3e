//! Why a page could not be read or the web not searched.

use countersign_failure::{Class, Failure};
use countersign_http_out::HttpError;
use countersign_pages::PageError;
use countersign_registry::action::ActionError;
use countersign_robots::RobotsError;

/// Why a page could not be read or the web not searched. No variant holds a key, a query of an address or a header.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// An input is missing or not what it must be.
    #[error("{0}")]
    Input(String),
    /// A param is not what it must be.
    #[error("{0}")]
    Param(String),
    /// No answer.
    #[error("{0}")]
    Http(#[from] HttpError),
    /// The site does not want the page read.
    #[error("{0}")]
    Robots(#[from] RobotsError),
    /// The page cannot be read.
    #[error("{0}")]
    Page(#[from] PageError),
    /// An answer without a page.
    #[error("`{host}` answered with HTTP {status}")]
    Status {
        /// The site.
        host: String,
        /// The status.
        status: u16,
        /// Whether trying again can help.
        class: Class,
    },
    /// The deployment has no search provider.
    #[error("this deployment has no provider for web searches")]
    NotConfigured,
    /// The provider refuses the key, or to answer in JSON.
    #[error("the search provider refuses this deployment (HTTP {status})")]
    SearchRefused {
        /// The status.
        status: u16,
        /// What helps.
        help: &'static str,
    },
    /// Too many searches.
    #[error("the search provider asks to search later (HTTP {status})")]
    SearchThrottled {
        /// The status.
        status: u16,
    },
    /// The searches that were paid for are used up.
    #[error("the search provider's plan allows no more searches (HTTP {status})")]
    SearchQuota {
        /// The status.
        status: u16,
    },
    /// The provider is down.
    #[error("the search provider is unavailable: {0}")]
    SearchUnavailable(String),
    /// The provider does not understand the search.
    #[error("the search provider refuses the search (HTTP {status}): {message}")]
    SearchRejected {
        /// The status.
        status: u16,
        /// The beginning of what it says.
        message: String,
    },
    /// Its answer is not what it documents.
    #[error("the search provider's answer cannot be read: {0}")]
    SearchAnswer(String),
}

impl Failure for WebError {
    fn code(&self) -> &'static str {
        match self {
            Self::Input(_) => "BAD_INPUT",
            Self::Param(_) => "BAD_PARAM",
            Self::Http(error) => error.code(),
            Self::Robots(error) => error.code(),
            Self::Page(error) => error.code(),
            Self::Status { .. } => "PAGE_STATUS",
            Self::NotConfigured => "SEARCH_NOT_CONFIGURED",
            Self::SearchRefused { .. } => "SEARCH_REFUSED",
            Self::SearchThrottled { .. } => "SEARCH_THROTTLED",
            Self::SearchQuota { .. } => "SEARCH_QUOTA",
            Self::SearchUnavailable(_) => "SEARCH_UNAVAILABLE",
            Self::SearchRejected { .. } => "SEARCH_REJECTED",
            Self::SearchAnswer(_) => "SEARCH_ANSWER",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Http(error) => error.class(),
            Self::Robots(error) => error.class(),
            Self::Page(error) => error.class(),
            Self::Status { class, .. } => *class,
            Self::SearchThrottled { .. } | Self::SearchUnavailable(_) => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Input(_) | Self::Param(_) | Self::SearchRejected { .. } => 422,
            Self::Http(error) => error.http_status(),
            Self::Robots(error) => error.http_status(),
            Self::Page(error) => error.http_status(),
            Self::NotConfigured
            | Self::SearchThrottled { .. }
            | Self::SearchQuota { .. }
            | Self::SearchUnavailable(_) => 503,
            Self::Status { .. } | Self::SearchRefused { .. } | Self::SearchAnswer(_) => 502,
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::Http(error) => return error.help(),
            Self::Robots(error) => return error.help(),
            Self::Page(error) => return error.help(),
            Self::NotConfigured => {
                "set SearchProvider to `searxng` or `tavily` when the stack is deployed"
            }
            Self::SearchRefused { help, .. } => help,
            Self::SearchQuota { .. } => "raise the plan's limit, or use another provider",
            _ => return None,
        };
        Some(text.to_owned())
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
