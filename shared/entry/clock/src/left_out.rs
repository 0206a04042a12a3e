//! Occurrences that come to no run, or whose run is not tried again: an error in the log where an alarm counts it, and an event,
//! so that the owner is told. Whatever is to be said is marked in the write that makes it so, and the mark goes once it is said:
//! what somebody died over, or the bus did not take, the sweeper says. So it is said at least once.

use std::time::Instant;

use countersign_outbox::DomainEvent;
use countersign_run::{Occurrence, OccurrenceSource, OccurrenceState};
use countersign_schedule::{MAX_SAID, Misfire, SAYING, ScheduleId};
use countersign_store_catalog::UnsaidOccurrence;
use jiff::Timestamp;

use crate::sweep::{Followed, most};
use crate::{Clock, ClockError, Schedule};

impl Clock {
    /// Says what has become of an occurrence; what is not taken the sweeper says.
    pub(crate) async fn report(&self, of: &Occurrence, now: Timestamp) {
        if let Err(error) = self.say(of, now).await {
            tracing::warn!(occurrence = %of.id, %error, "listeners have to wait for what became of a due time");
        }
    }

    /// Says what is marked as unsaid, of what was not written just now, as far as there is time.
    pub(crate) async fn say_unsaid(
        &self,
        now: Timestamp,
        until: Instant,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let unsaid = self.catalog.unsaid_occurrences(most(MAX_SAID)).await?;
        for (n, one) in unsaid.into_iter().enumerate() {
            if n > 0 && Instant::now() >= until {
                break;
            }
            match self.say_late(&one, now).await {
                Ok(is_said) => done.said += usize::from(is_said),
                Err(error) => {
                    done.failed += 1;
                    tracing::error!(occurrence = %one.id, %error, "what became of an occurrence could not be said");
                }
            }
        }
        Ok(())
    }

    async fn say_late(&self, one: &UnsaidOccurrence, now: Timestamp) -> Result<bool, ClockError> {
        let Some(of) = self.catalog.occurrence(&one.owner, &one.id).await? else {
            self.catalog.said(&one.id).await?;
            return Ok(false);
        };
        let written = of.finished_at.unwrap_or(of.noticed_at);
        if now.duration_since(written).abs() < SAYING {
            return Ok(false);
        }
        self.say(&of, now).await?;
        // What has changed meanwhile has nothing to be said.
        self.catalog.said(&of.id).await?;
        Ok(true)
    }

    async fn say(&self, of: &Occurrence, now: Timestamp) -> Result<(), ClockError> {
        if !of.is_to_be_said() {
            return Ok(());
        }
        log(of);
        if let Some(event) = self.event(of, now).await? {
            self.bus.publish(&[event]).await?;
        }
        Ok(self.catalog.said(&of.id).await?)
    }

    /// What the owner is told by; none of what they want nothing to come of.
    async fn event(
        &self,
        of: &Occurrence,
        now: Timestamp,
    ) -> Result<Option<DomainEvent>, ClockError> {
        if let Some(reason) = of.reason.as_ref().filter(|_| of.is_given_up()) {
            return Ok(Some(DomainEvent::given_up(of, &reason.code, now)));
        }
        let is_told = of.is_left_out() && !self.is_wanted(of).await?;
        Ok(is_told.then(|| DomainEvent::left_out(of, now)))
    }

    /// Whether it is one of the late due times of which nothing is to come.
    async fn is_wanted(&self, of: &Occurrence) -> Result<bool, ClockError> {
        let is_late = of.reason.as_ref().is_some_and(|reason| reason.code == "MISSED");
        if of.source != OccurrenceSource::Schedule || !is_late {
            return Ok(false);
        }
        let Ok(id) = ScheduleId::parse(&of.source_id) else { return Ok(false) };
        let schedule = self.own::<Schedule>(&of.owner, &id).await?;
        Ok(schedule.is_some_and(|schedule| schedule.spec.misfire == Misfire::Skip))
    }
}

/// What was missed, and a trigger that would fire itself, is an error in the log: alarms count these lines.
fn log(occurrence: &Occurrence) {
    if occurrence.state == OccurrenceState::Missed {
        tracing::error!(occurrence = %occurrence.id, "OCCURRENCE_MISSED: a due time was missed");
    }
    if occurrence.is_looped() {
        tracing::error!(occurrence = %occurrence.id, "TRIGGER_LOOP: a trigger would fire itself");
    }
}
