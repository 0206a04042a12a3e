//! A test that replays a run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Head, RunId};

/// The run that a test replays: what its steps were answered stands in for asking and reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// The run.
    pub run: RunId,
    /// When it was asked for: `today` is what it was then.
    pub started_at: Timestamp,
}

/// The code of a model's step of a replay that asks something else than it did.
pub const PROMPT_CHANGED: &str = "PROMPT_CHANGED";

impl Head {
    /// The run as its steps are told of it, and its time: of a replay those of the run that is replayed, so that nothing is asked
    /// differently only because it is asked later.
    #[must_use]
    pub fn as_told(&self) -> (&RunId, Timestamp) {
        match &self.replays {
            Some(of) => (&of.run, of.started_at),
            None => (&self.run, self.started_at),
        }
    }
}
