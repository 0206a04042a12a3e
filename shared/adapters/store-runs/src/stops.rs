//! Ending a run: the stop flag and the final status.

use countersign_run::{Event, EventKind, GatePolicy, Head, RunId, RunRecord, RunStatus, Stop};
use countersign_store_kit::{Expr, Write};
use jiff::Timestamp;

use crate::{Result, RunStore, keys};

impl RunStore {
    /// Tells every later step that the run is to end. False when it was told before, or is over.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn stop(&self, run: &RunId, stop: &Stop, attempt: u32) -> Result<bool> {
        self.table.try_transact(self.stop_writes(run, stop, attempt)?).await
    }

    /// Records the final status with what the run did, and removes the mark of an active run; one transaction. A successful
    /// run that is not a test becomes the profile's last one. The profile is that of `head`: none when it is gone. False when it
    /// was done before, or when another execution carries the run.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn finish(
        &self,
        head: &Head,
        status: RunStatus,
        record: &RunRecord,
        at: Timestamp,
    ) -> Result<bool> {
        let update = Write::update(&keys::head(&head.run))
            .set("status", &status)?
            .set("finished_at", &at)?
            .set("record", record)?
            .set("profile_id", &head.profile_id)?
            .add("version", &1)?;
        let event = Event {
            step: String::new(),
            attempt: head.attempt,
            n: 2,
            at,
            kind: EventKind::Finished { status },
        };
        // Somebody may have asked for changes since: then another execution carries the run.
        let mine = Expr::new("#attempt = :attempt AND attribute_not_exists(#finished_at)");
        let mine = mine.bind("attempt", &head.attempt)?;
        let mut writes = vec![
            update.when(mine),
            Write::put(&keys::event(&head.run, "", head.attempt, 2), &event)?,
            Write::delete(&keys::active(&head.run)),
        ];
        let is_success = matches!(status, RunStatus::Complete | RunStatus::Partial);
        // What a member has asked for, or what left out its signatures, says nothing of when the owner's own runs go on from.
        let is_own = head.dry_run.is_none()
            && head.team_context.is_none()
            && head.approval_policy != GatePolicy::Skip;
        if is_success && is_own && !head.profile_id.is_empty() {
            let last = keys::last_success(&head.owner, &head.profile_id);
            writes.push(Write::update(&last).set("finished_at", &at)?);
        }
        self.table.try_transact(writes).await
    }
}
