//! A trigger that fires.

use countersign_run::{Occurrence, OccurrenceId, OccurrenceState};
use countersign_schedule::{MAX_QUEUED, Overlap};
use countersign_store_catalog::Noticed;
use countersign_trigger::{FiringTrigger, noticed};
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::source::Source;
use crate::{Clock, ClockError, Trigger};

/// Why something is left out instead of waiting.
const FULL: &str = "a hundred of the same wait already, or a thousand of all that its owner has";

/// What became of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum EventOutcome {
    /// It is new; its occurrence as it is now.
    New(Box<Occurrence>),
    /// It was reported before.
    Known(OccurrenceId),
}

impl Clock {
    /// Enters what has fired a trigger in the ledger, once, and begins its run; what cannot be begun now, the sweeper begins.
    /// `instead` is an occurrence of the same event that came to nothing and is to be tried anew.
    ///
    /// # Errors
    /// [`ClockError`] when the event could not be entered.
    pub fn fire<'a>(
        &'a self,
        firing: &'a FiringTrigger<'a>,
        trigger: &'a Trigger,
        instead: Option<&'a OccurrenceId>,
    ) -> BoxFuture<'a, Result<EventOutcome, ClockError>> {
        Box::pin(async move {
            let occurrence = noticed(firing);
            let event = firing.fired.event();
            match self.catalog.notice_event(&occurrence, &event, instead).await? {
                Noticed::Known(known) => return Ok(EventOutcome::Known(known)),
                Noticed::New => self.report(&occurrence, firing.at).await,
            }
            if occurrence.state != OccurrenceState::Due {
                return Ok(EventOutcome::New(Box::new(occurrence)));
            }
            match self.begin_now(&occurrence, trigger, firing.at).await {
                Ok(after) => Ok(EventOutcome::New(Box::new(after))),
                Err(error) => {
                    tracing::warn!(occurrence = %occurrence.id, %error, "a run was not started; the sweeper will");
                    Ok(EventOutcome::New(Box::new(occurrence)))
                }
            }
        })
    }

    async fn begin_now(
        &self,
        of: &Occurrence,
        trigger: &Trigger,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        let source = Source::Trigger(trigger);
        if source.overlap() != Overlap::Allow && !self.has_turn(of).await? {
            // What is over may not have been looked at yet.
            self.follow_others(of, now).await?;
        }
        self.begin_or_wait(of, Some(source), now).await
    }

    /// Begins an occurrence unless its source wants it to wait, or to be left out, while another one goes on.
    pub(crate) async fn begin_or_wait(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        let overlap = source.map_or(Overlap::Allow, |source| source.overlap());
        if overlap == Overlap::Allow || self.has_turn(of).await? {
            return self.begin(of, source, now).await;
        }
        let skipped = |code, message: &str| of.ended(OccurrenceState::Skipped, code, message, now);
        let after = match overlap {
            Overlap::Skip => {
                let word = source.map_or("trigger", |source| source.word());
                let message = format!("another run of this {word} goes on, or waits for people");
                skipped("OVERLAP", &message)
            }
            // The one that goes on is open as well.
            _ if self.is_full(of, MAX_QUEUED + 1).await? => skipped("QUEUE_FULL", FULL),
            _ => of.moved(OccurrenceState::Queued, now),
        };
        self.changed(after, now).await
    }

    /// Whether it may go on, of a source whose runs go one after the other: nothing is before it, and it has the turn. Two that
    /// come at once are both the first for a moment; the turn is one's alone. Of two events of one second the later one may come
    /// to be before the one that has the turn already: that one goes on, or both would wait for each other.
    pub(crate) async fn has_turn(&self, of: &Occurrence) -> Result<bool, ClockError> {
        let has = match self.is_first(of).await? {
            true => self.catalog.take_turn(of).await?,
            false => self.catalog.holds_turn(of).await?,
        };
        Ok(has)
    }
}
