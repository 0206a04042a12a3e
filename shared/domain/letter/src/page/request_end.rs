//! How a request ended, as a page tells whoever comes later.

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
pub enum RequestEnd {
    /// Enough people approved.
    #[strum(to_string = "Already approved")]
    Approved,
    /// Somebody denied, or too few can still approve.
    #[strum(to_string = "Already denied")]
    Denied,
    /// The deadline passed with nobody there in time.
    #[strum(to_string = "The deadline has passed")]
    TimedOut,
    /// It was cleaned up long after its run had ended.
    #[strum(to_string = "This request has expired")]
    Expired,
    /// Somebody asked for changes.
    #[strum(to_string = "Changes were asked for")]
    Revised,
    /// Its run was cancelled.
    #[strum(to_string = "This request was cancelled")]
    Cancelled,
}

impl RequestEnd {
    pub(super) fn title(self) -> &'static str {
        self.into()
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
