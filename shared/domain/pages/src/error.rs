//! Why a page or feed cannot be read.

use std::borrow::Cow;

use countersign_failure::{Class, Failure};
use serde::{Deserialize, Serialize};

/// Why a page or feed cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum PageError {
    /// A PDF.
    #[error("the address holds a PDF, not a page")]
    Pdf,
    /// Neither a page nor text.
    #[error("the address holds `{0}`, which is not a page or a text")]
    Format(String),
    /// Not HTML where HTML is needed.
    #[error("the address holds `{0}`, not an HTML page")]
    NotHtml(String),
    /// A page beyond the bounds.
    #[error("the page has {0}")]
    Limit(Cow<'static, str>),
    /// Reading took too long.
    #[error("the page could not be read in the time there was")]
    Time,
    /// What reads pages failed at it.
    #[error("the page is damaged, or made in a way that is not understood")]
    Damaged,
    /// The process that reads pages could not be started, or gave no answer.
    #[error("the page was not read: {0}")]
    Reader(String),
    /// A selector that the connector's reader would have refused.
    #[error("the selector `{0}` cannot be used")]
    Selector(String),
    /// A feed that cannot be read.
    #[error("the feed cannot be read: {0}")]
    Feed(String),
}

impl Failure for PageError {
    fn code(&self) -> &'static str {
        match self {
            Self::Pdf => "PAGE_PDF",
            Self::Format(_) | Self::NotHtml(_) | Self::Damaged => "PAGE_FORMAT",
            Self::Limit(_) => "PAGE_LIMIT",
            Self::Time => "PAGE_TIME",
            Self::Reader(_) => "READER_FAILED",
            Self::Selector(_) => "CONNECTOR_INVALID",
            Self::Feed(_) => "FEED_MALFORMED",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Reader(_) => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Reader(_) => 503,
            _ => 422,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Pdf => Some(
                "upload the file and read it with a `file_parser` connector for PDF".to_owned(),
            ),
            Self::Reader(_) => {
                Some("run the step again; if that fails too, look at the function's log".to_owned())
            }
            _ => None,
        }
    }
}
