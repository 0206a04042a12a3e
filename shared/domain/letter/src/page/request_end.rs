//! How a request ended, as a page tells whoever comes later.

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestEnd {
    /// Enough people approved.
    Approved,
    /// Somebody denied, or too few can still approve.
    Denied,
    /// The deadline passed with nobody there in time.
    TimedOut,
    /// It was cleaned up long after its run had ended.
    Expired,
    /// Somebody asked for changes.
    Revised,
    /// Its run was cancelled.
    Cancelled,
}

impl RequestEnd {
    pub(super) fn title(self) -> &'static str {
        match self {
            RequestEnd::Approved => "Already approved",
            RequestEnd::Denied => "Already denied",
            RequestEnd::TimedOut => "The deadline has passed",
            RequestEnd::Expired => "This request has expired",
            RequestEnd::Revised => "Changes were asked for",
            RequestEnd::Cancelled => "This request was cancelled",
        }
    }

    pub(super) fn lead(self) -> &'static str {
        match self {
            RequestEnd::Approved => {
                "This request is closed: it was approved. Nothing you do here changes that."
            }
            RequestEnd::Denied => {
                "This request is closed: it was denied, and what it asked for was not done. Nothing you do here changes that."
            }
            RequestEnd::TimedOut => {
                "The deadline passed without a decision. That counts as a denial: what was asked for was not done."
            }
            RequestEnd::Expired => "Its run ended without it. What it asked for was not done.",
            RequestEnd::Revised => {
                "Somebody wants what you were asked to sign rewritten. The approvers are asked again when that is done: please use the newest mail. Nothing was sent."
            }
            RequestEnd::Cancelled => {
                "The run was stopped before this was decided. What it asked for was not done."
            }
        }
    }
}
