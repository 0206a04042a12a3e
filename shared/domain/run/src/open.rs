//! Occurrences that are not at their end.

use countersign_identity::UserId;
use serde::{Deserialize, Serialize};

use crate::{Occurrence, OccurrenceId, OccurrenceState};

/// An occurrence that is not at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOccurrence {
    /// Whose.
    pub owner: UserId,
    /// Which.
    pub id: OccurrenceId,
    /// Whether its run has not begun. Earlier releases did not say so.
    #[serde(default)]
    pub is_waiting: bool,
}

impl OpenOccurrence {
    /// What is noted of an occurrence; none of one that is at its end.
    #[must_use]
    pub fn of(occurrence: &Occurrence) -> Option<Self> {
        let is_waiting = matches!(occurrence.state, OccurrenceState::Due | OccurrenceState::Queued);
        let Occurrence { owner, id, .. } = occurrence;
        let open = || Self { owner: owner.clone(), id: id.clone(), is_waiting };
        (!occurrence.state.is_final()).then(open)
    }

    /// Whether a person asked for it and its run was not begun: whoever asked has been told to ask again, and nobody waits for that.
    /// A due time has no third part in its id.
    #[must_use]
    pub fn is_to_be_asked_again(&self) -> bool {
        self.is_waiting && self.id.source().starts_with("sched_") && self.id.place().contains('-')
    }

    /// Where it is in the list that it is in.
    #[must_use]
    pub fn place(&self) -> String {
        if self.is_waiting {
            format!("{}{}", Self::waiting_of(&self.owner), self.id)
        } else {
            self.id.to_string()
        }
    }

    /// How the places of all that wait of an owner begin.
    #[must_use]
    pub fn waiting_of(owner: &UserId) -> String {
        format!("{owner}#")
    }
}
