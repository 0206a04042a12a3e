//! `/schedules/{id}/run-now` (F-207, F-365).

use axum::response::Response;
use countersign_clock::Schedule;
use countersign_run::{OccurrenceState, RunId};
use countersign_schedule::ScheduleId;
use countersign_web::idempotency::{Attempt, Key, StoredAnswer};
use countersign_web::{Problem, Signed};
use http::StatusCode;

use super::answers::OccurrenceAnswer;
use super::{Named, analyst, found, invoker, now};
use crate::idempotency::do_once;

/// Asks a schedule's question now, whether it is enabled or not: 202 with the occurrence, whose `runs` has the run. It is a run that
/// its caller starts: with the caller's rights, in the context `background`, and its gates ask. It counts in the
/// caller's quota of runs, also where `detail` says why nothing was started.
#[utoipa::path(
    post, path = "/schedules/{id}/run-now", tag = "schedules",
    params(("id" = String, Path, description = "`sched_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = OccurrenceAnswer), (status = 404, description = "NOT_FOUND"), (status = 409, description = "SCHEDULE_NOT_RUN: `detail` says why nothing was started"), (status = 429, description = "QUOTA_EXCEEDED"), (status = 503, description = "RUN_NOT_STARTED"))
)]
pub(crate) async fn run(
    Named(ctx, signed, id): Named<ScheduleId, Signed>,
    key: Key,
) -> Result<Response, Problem> {
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, &format!("POST /schedules/{id}/run-now"), key, &id)?;
    do_once(&ctx, &attempt, async {
        let schedule = found(ctx.catalog.collection::<Schedule>().own(owner, &id).await?)?;
        let request = RunId::from_bytes(attempt.id()).to_string();
        let occurrence = ctx.clock.run_now(&schedule, &invoker(&signed), &request, now()).await?;
        let is_over =
            matches!(occurrence.state, OccurrenceState::Skipped | OccurrenceState::Missed);
        if let Some(reason) = occurrence.reason.as_ref().filter(|_| is_over) {
            let detail = format!("{}: {}", reason.code, reason.message);
            return Err(Problem::conflict("SCHEDULE_NOT_RUN", detail));
        }
        let place = format!("/api/agent-factory/schedules/{id}/occurrences");
        StoredAnswer::new(StatusCode::ACCEPTED, Some(place), &occurrence)
    })
    .await
}
