//! Why a mail asks an approver: for the first time, once more, or because something has changed since.

use jiff::Timestamp;

use crate::strike_verbs::StrikeVerbs;
use crate::text::Label;
use crate::when::moment;

/// Why an approver is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The request is new to them.
    New,
    /// They have not answered.
    Reminder,
    /// Requests were struck out, or brought back.
    Struck(StrikeNotice),
    /// There is more time.
    Extended(DeadlineNotice),
    /// Changes were asked for; this is the name of whoever did.
    Revised(Label),
}

impl Why {
    /// How the subject begins.
    pub(super) fn opening(&self) -> &'static str {
        match self {
            Self::New => "Your",
            Self::Reminder => "Reminder: your",
            Self::Struck(_) => "Please look again: your",
            Self::Extended(_) => "More time: your",
            Self::Revised(_) => "Asked again after changes: your",
        }
    }

    /// What has happened since; nothing of a new request and of a reminder.
    pub(super) fn notice(&self) -> Option<String> {
        match self {
            Self::New | Self::Reminder => None,
            Self::Struck(strike) => Some(format!(
                "{} Your vote, if you gave one, no longer counts: please look again.",
                strike.sentence()
            )),
            Self::Extended(deadline) => Some(format!(
                "{} A link of an earlier mail no longer works: please use this one.",
                deadline.sentence()
            )),
            Self::Revised(by) => Some(format!(
                "{by} asked for changes to an earlier version. Please look at this one: votes on the earlier one no longer count."
            )),
        }
    }
}

/// Counts of one strike; no value of any request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrikeNotice {
    /// Who did it: a name of the directory.
    pub by: Label,
    /// How many requests were struck out.
    pub struck: u64,
    /// How many were brought back.
    pub restored: u64,
    /// How many are left.
    pub left: u64,
    /// How many there were when the request was opened.
    pub count: u64,
}

impl StrikeNotice {
    /// `Ann struck out 2 of 40; 38 are left.`
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { by, struck, restored, left, count } = self;
        let did = StrikeVerbs::Past.counts(*struck, *restored);
        let are = if *left == 1 { "is" } else { "are" };
        format!("{by} {did} of {count}; {left} {are} left.")
    }
}

/// A deadline that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadlineNotice {
    /// Who did it: a name of the directory.
    pub by: Label,
    /// The deadline before.
    pub from: Timestamp,
    /// The deadline now.
    pub to: Timestamp,
}

impl DeadlineNotice {
    /// `Ann moved the deadline from Sat 28 Nov 2026, 14:05 UTC to Sat 12 Dec 2026, 14:05 UTC.`
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { by, from, to } = self;
        format!("{by} moved the deadline from {} to {}.", moment(*from), moment(*to))
    }
}
