//! What a person may start in a day, and what a trigger or monitor may of it.

use countersign_run::{Head, SourceLimit};
use countersign_store_runs::{Counted, Use};
use countersign_web::Problem;
use jiff::Timestamp;

use crate::Starter;

/// Counts a run that is about to be written, in its person's day and in what its source may start of it: in both or in neither. Its
/// id stands for the request: the same request starts the same run.
pub(crate) async fn count_run(
    ctx: Starter<'_>,
    head: &Head,
    source: Option<SourceLimit<'_>>,
) -> Result<(), Problem> {
    let of = Use { who: &head.invoked_by, amount: 1, known_by: Some(head.run.as_str()) };
    // The source first: a run that it may not start holds no place of its person's day, not even for a moment.
    if let Some(source) = source
        && !ctx.runs.count_of_source(source, &head.run, ctx.now).await?
    {
        return Err(Problem::of(&source.exceeded(ctx.now)));
    }
    let found = ctx.runs.count(ctx.runs_per_day, of, ctx.now).await?;
    if let (Counted::Exceeded(_), Some(source)) = (found, source) {
        ctx.runs.give_back_of_source(source, &head.run).await?;
    }
    counted(found, ctx.now)
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
