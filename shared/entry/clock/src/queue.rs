//! How much of one source may wait for the run before it.

use countersign_schedule::MAX_QUEUED;

use crate::{Clock, ClockError};

impl Clock {
    /// How many more due times of this source may wait.
    pub(crate) async fn queue_room(&self, source: &str) -> Result<usize, ClockError> {
        // One more: the run that goes on is open as well.
        let most = MAX_QUEUED + 1;
        let limit = i32::try_from(most).unwrap_or(i32::MAX);
        let open = self.catalog.open_occurrences(Some(source), limit, None).await?;
        Ok(most.saturating_sub(open.items.len()))
    }
}
