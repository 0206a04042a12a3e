//! What happens to occurrences, as events.

use countersign_run::Occurrence;
use jiff::Timestamp;

use crate::events::DomainEvent;

impl DomainEvent {
    /// That an occurrence came to no run.
    #[must_use]
    pub fn left_out(of: &Occurrence, now: Timestamp) -> Self {
        Self::of_occurrence("occurrence.left_out", of, now)
    }

    /// That the run of an occurrence failed and is not tried again as it was to be, for the reason with this code.
    #[must_use]
    pub fn given_up(of: &Occurrence, code: &str, now: Timestamp) -> Self {
        Self::of_occurrence("occurrence.given_up", of, now).about("code", code)
    }

    fn of_occurrence(kind: &'static str, of: &Occurrence, now: Timestamp) -> Self {
        let event = Self::new(kind, now).about("owner", of.owner.as_str());
        event.about("occurrence", of.id.as_str())
    }
}
