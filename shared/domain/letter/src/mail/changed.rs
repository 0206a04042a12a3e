//! What the mail to an approver says when somebody struck requests out, or brought some back.

use crate::strike_verbs::StrikeVerbs;
use crate::text::Label;

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
