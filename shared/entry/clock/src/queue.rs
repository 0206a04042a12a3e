//! How much may wait for the run before it, or for the quota of its owner.

use countersign_run::Occurrence;
use countersign_schedule::{MAX_QUEUED, MAX_WAITING_OF_OWNER};
use countersign_store_kit::Window;

use crate::{Clock, ClockError, Schedule};

impl Clock {
    /// How many more due times of a schedule may wait.
    pub(crate) async fn queue_room(&self, schedule: &Schedule) -> Result<usize, ClockError> {
        // One more: the run that goes on is open as well.
        let most = MAX_QUEUED + 1;
        let room = most.saturating_sub(self.open_of(schedule, most).await?);
        let Some(owner) = &schedule.user_id else { return Ok(room) };
        let waiting = self.catalog.waiting_of(owner, MAX_WAITING_OF_OWNER).await?;
        Ok(room.min(MAX_WAITING_OF_OWNER - waiting))
    }

    /// How many due times of a schedule are open, counted up to about `many`. Those that a person asked for and has to ask for again
    /// are left out.
    async fn open_of(&self, schedule: &Schedule, many: usize) -> Result<usize, ClockError> {
        let limit = i32::try_from(many).unwrap_or(i32::MAX);
        let source = Some(schedule.id.as_str());
        let (mut open, mut next): (usize, Option<String>) = (0, None);
        loop {
            let page = self.catalog.open_occurrences(source, Window { limit, after: next }).await?;
            open += page.items.iter().filter(|one| !one.is_to_be_asked_again()).count();
            next = page.next;
            if next.is_none() || open >= many {
                return Ok(open);
            }
        }
    }

    /// Whether an event finds that as many wait already as may: so many of its source are not at their end, or so many of its
    /// owner's wait.
    pub(crate) async fn is_full(&self, of: &Occurrence, most: usize) -> Result<bool, ClockError> {
        // This one is among them.
        let waiting = self.catalog.waiting_of(&of.owner, MAX_WAITING_OF_OWNER + 1).await?;
        Ok(waiting > MAX_WAITING_OF_OWNER || self.are_open(of, most + 1).await?)
    }

    /// Whether so many of its source are not at their end.
    async fn are_open(&self, of: &Occurrence, many: usize) -> Result<bool, ClockError> {
        let most = i32::try_from(many).unwrap_or(i32::MAX);
        let window = Window::first(most);
        let open = self.catalog.open_occurrences(Some(&of.source_id), window).await?;
        Ok(open.items.len() >= many)
    }
}
