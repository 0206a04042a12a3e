//! What somebody wants changed of what is to be signed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::vote::Verdict;

/// What somebody wants changed, as it is kept with the request that it closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApprovalRevision")]
pub struct Revision {
    /// [`Verdict::Enhance`] or [`Verdict::Override`].
    pub mode: Verdict,
    /// What is to be done; at most [`MAX_NOTE`](crate::MAX_NOTE) characters.
    pub instructions: String,
}

impl Revision {
    /// What the attempt wants changed; none of a decision.
    pub(crate) fn of(attempt: &Attempt) -> Option<Self> {
        let instructions = attempt.note.clone().filter(|_| attempt.verdict.revises())?;
        Some(Self { mode: attempt.verdict, instructions })
    }

    /// Whether it stands in place of what was asked before.
    #[must_use]
    pub fn is_instead(&self) -> bool {
        self.mode == Verdict::Override
    }
}
