//! What a person may start in a day.

use countersign_run::Head;
use countersign_store_runs::{Counted, Use};
use countersign_web::Problem;
use jiff::Timestamp;

use crate::Starter;

/// Counts a run that is started. Its id stands for the request: the same request starts the same run.
pub(crate) async fn run(ctx: Starter<'_>, head: &Head) -> Result<(), Problem> {
    let of = Use { who: &head.invoked_by, amount: 1, known_by: Some(head.run.as_str()) };
    counted(ctx.runs.count(ctx.runs_per_day, of, ctx.now).await?, ctx.now)
}

/// A problem that says when there is more, unless there was enough.
///
/// # Errors
/// `QUOTA_EXCEEDED`.
pub fn counted(found: Counted, now: Timestamp) -> Result<(), Problem> {
    match found {
        Counted::Yes => Ok(()),
        Counted::Exceeded(exceeded) => {
            let problem = Problem::of(&exceeded).again_after(exceeded.seconds(now));
            let quota = exceeded.quota;
            Err(problem.with("quota", quota.kind.as_str()).with("limit", quota.limit))
        }
    }
}
