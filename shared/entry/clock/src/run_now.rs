//! A schedule's question that its owner asks before its time (F-207).

use countersign_run::{Occurrence, OccurrenceId, OccurrenceState};
use countersign_run_start::{self as run_start, Invoker};
use countersign_store_catalog::Noticed;
use countersign_store_runs::Use;
use countersign_web::Problem;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::source::Source;
use crate::tick::occurrence;
use crate::{Clock, Schedule};

impl Clock {
    /// Starts a schedule's question now, because its owner asks for it: as a run that a person starts, whose gates ask. It counts
    /// in their quota, whether a run comes of it or not. `request` names the request: the same one again is the same occurrence,
    /// which begins now if it could not before.
    ///
    /// # Errors
    /// A [`Problem`] when the quota is used up, or something does not answer. Nothing begins by itself then: only whoever asked has
    /// the rights they asked with.
    pub fn run_now<'a>(
        &'a self,
        schedule: &'a Schedule,
        invoker: &'a Invoker,
        request: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Occurrence, Problem>> {
        Box::pin(async move {
            let of = self.asked_for(schedule, invoker, request, now).await?;
            if of.state != OccurrenceState::Due {
                return Ok(of);
            }
            Ok(self.begin_as(&of, Some(Source::Schedule(schedule)), Some(invoker), now).await?)
        })
    }

    /// The occurrence of a request: the one that it has already, or a new one.
    async fn asked_for(
        &self,
        schedule: &Schedule,
        invoker: &Invoker,
        request: &str,
        now: Timestamp,
    ) -> Result<Occurrence, Problem> {
        let event = format!("asked/{request}");
        let source = schedule.id.as_str();
        let due = occurrence(schedule, Timestamp::from_second(now.as_second()).unwrap_or(now), now);
        if let Some(known) = self.catalog.seen_event(source, &event).await?
            && let Some(known) = self.catalog.occurrence(&due.owner, &known).await?
        {
            return Ok(known);
        }
        let id = OccurrenceId::of_event(source, now, &event);
        let noticed = Occurrence { id, asked_by: Some(invoker.user.clone()), ..due };
        // However often the request comes, at once or after it broke off here, it counts once; its run does not count again.
        let name = format!("{source}/{event}");
        let of = Use { who: &invoker.user, amount: 1, known_by: Some(&name) };
        run_start::counted(self.runs.count(self.runs_per_day, of, now).await?, now)?;
        Ok(match self.catalog.notice_event(&noticed, &event, None).await? {
            Noticed::New => noticed,
            // The same request was faster on another way.
            Noticed::Known(known) => {
                self.catalog.occurrence(&noticed.owner, &known).await?.unwrap_or(noticed)
            }
        })
    }
}
