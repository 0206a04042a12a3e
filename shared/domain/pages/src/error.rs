//! Why a page or feed cannot be read.

use std::borrow::Cow;

use countersign_failure::Failure;
use serde::{Deserialize, Serialize};

/// Why a page or feed cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure, Serialize, Deserialize)]
#[failure(status = 422)]
pub enum PageError {
    /// A PDF.
    #[error("the address holds a PDF, not a page")]
    #[failure(
        code = "PAGE_PDF",
        help = "upload the file and read it with a `file_parser` connector for PDF"
    )]
    Pdf,
    /// Neither a page nor text.
    #[error("the address holds `{0}`, which is not a page or a text")]
    #[failure(code = "PAGE_FORMAT")]
    Format(String),
    /// Not HTML where HTML is needed.
    #[error("the address holds `{0}`, not an HTML page")]
    #[failure(code = "PAGE_FORMAT")]
    NotHtml(String),
    /// A page beyond the bounds.
    #[error("the page has {0}")]
    #[failure(code = "PAGE_LIMIT")]
    Limit(Cow<'static, str>),
    /// Reading took too long.
    #[error("the page could not be read in the time there was")]
    #[failure(code = "PAGE_TIME")]
    Time,
    /// What reads pages failed at it.
    #[error("the page is damaged, or made in a way that is not understood")]
    #[failure(code = "PAGE_FORMAT")]
    Damaged,
    /// The process that reads pages could not be started, or gave no answer.
    #[error("the page was not read: {0}")]
    #[failure(
        code = "READER_FAILED",
        retryable,
        status = 503,
        help = "run the step again; if that fails too, look at the function's log"
    )]
    Reader(String),
    /// A selector that the connector's reader would have refused.
    #[error("the selector `{0}` cannot be used")]
    #[failure(code = "CONNECTOR_INVALID")]
    Selector(String),
    /// A feed that cannot be read.
    #[error("the feed cannot be read: {0}")]
    #[failure(code = "FEED_MALFORMED")]
    Feed(String),
}
