//! What a tick of a monitor's clock came to.

use serde::{Deserialize, Serialize};

/// What a tick came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TickOutcome {
    /// Nothing was new.
    Suppressed,
    /// It was not in the active hours.
    OutsideActiveHours,
    /// The first look: what is there is known from now on.
    Baseline,
    /// Something was new, and a run has it.
    Started,
    /// The batch before is not processed yet.
    Waiting,
    /// A batch whose run failed is tried again.
    Retried,
    /// A detection step failed.
    Failed,
}

impl TickOutcome {
    /// Whether it shows that the monitor can look and that its runs start.
    pub(crate) fn is_well(self) -> bool {
        matches!(self, Self::Suppressed | Self::Baseline | Self::Waiting)
    }

    /// Whether all steps have looked.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Suppressed | Self::Baseline)
    }

    /// The word of logs and of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
