//! What a child is asked to do: the first line of its input. The document follows.

use countersign_connector::ScrapeRules;
use countersign_formats::{Limits, Reader};
use countersign_pages::{Body, ExtractMode};
use serde::{Deserialize, Serialize};
use url::Url;

/// Bytes of a job.
pub(crate) const MAX_LENGTH: u64 = 8 * 1024 * 1024;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Job {
    /// Records of a file.
    File { reader: Reader, limits: Limits },
    /// Records of a page.
    Records { rules: Box<ScrapeRules>, most: usize, of: Origin },
    /// What a page says.
    Page { mode: ExtractMode, longest: usize, of: Origin },
    /// Items of a feed.
    Feed { of: Origin },
}

/// Where a page came from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub(crate) url: Url,
    pub(crate) content_type: Option<String>,
}

impl Origin {
    pub(crate) fn of(body: &Body<'_>) -> Self {
        Self { url: body.url.clone(), content_type: body.content_type.map(str::to_owned) }
    }

    pub(crate) fn body<'b>(&'b self, bytes: &'b [u8]) -> Body<'b> {
        Body { url: &self.url, content_type: self.content_type.as_deref(), bytes }
    }
}
