//! Runs that have worked for too long.

use countersign_run::{Event, EventKind, Head, Occurrence, RunStatus, Stop, StopReason, fold};
use countersign_schedule::Sweeps;
use jiff::{SignedDuration, Timestamp};

use crate::{Clock, ClockError};

impl Clock {
    /// Writes down that the sweeper looks, and since when it has done so without an outage.
    pub(crate) async fn note_sweep(&self, now: Timestamp) -> Result<(), ClockError> {
        let before = self.catalog.sweeps().await?;
        Ok(self.catalog.note_sweeps(&Sweeps::following(before, now)).await?)
    }

    /// Ends a run that has worked for too long. While it waits for people or the deployment is down it does not work, and their
    /// answer, or its return, gives it its time anew.
    pub(crate) async fn end_overlong(
        &self,
        of: &Occurrence,
        head: &Head,
        now: Timestamp,
    ) -> Result<bool, ClockError> {
        let most = SignedDuration::from_secs(i64::from(of.timeout_seconds));
        if head.stop.is_some() || now.duration_since(head.started_at) <= most {
            return Ok(false);
        }
        let Some(since) = self.works_since(head, now).await? else { return Ok(false) };
        if now.duration_since(since) <= most {
            return Ok(false);
        }
        let message = format!(
            "the {} seconds that its {} allows are over",
            of.timeout_seconds,
            of.source.as_str()
        );
        let stop = Stop {
            reason: StopReason::TimedOut,
            step: None,
            by: None,
            code: None,
            message,
            at: now,
        };
        Ok(self.runs.stop(&head.run, &stop, head.attempt).await?)
    }

    /// When the run's time began to count. None while it waits for people, and while it is unknown whether the deployment was
    /// down: the sweeper has not looked for too long.
    async fn works_since(
        &self,
        head: &Head,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ClockError> {
        let Some(up_since) = self.catalog.sweeps().await?.and_then(|sweeps| sweeps.up(now)) else {
            return Ok(None);
        };
        let order =
            self.runs.plan(&head.run).await?.map(|(plan, _)| plan.order()).unwrap_or_default();
        let events = self.runs.events(&head.run).await?;
        if fold(head, &order, &events).status == RunStatus::AwaitingApproval {
            return Ok(None);
        }
        let answered = answered_at(&events).unwrap_or(head.started_at);
        Ok(Some(answered.max(up_since)))
    }
}

/// When people last gave a run its time anew, by a decision or by asking for changes.
fn answered_at(events: &[Event]) -> Option<Timestamp> {
    let is_answer = |event: &&Event| {
        matches!(event.kind, EventKind::GateClosed { .. } | EventKind::Revised { .. })
    };
    events.iter().filter(is_answer).map(|event| event.at).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_for_changes_gives_a_run_its_time_anew() {
        let event = |second: i64, kind| {
            let at = Timestamp::from_second(second).unwrap();
            Event { step: "ask".to_owned(), attempt: 0, n: 0, at, kind }
        };
        let opened = event(9, EventKind::GateOpened { approval: "appr_1".to_owned() });
        assert_eq!(answered_at(std::slice::from_ref(&opened)), None);
        let revised = EventKind::Revised { approval: "appr_1".to_owned(), again: Vec::new() };
        let events = [event(5, revised), opened];
        assert_eq!(answered_at(&events), Timestamp::from_second(5).ok());
    }
}
