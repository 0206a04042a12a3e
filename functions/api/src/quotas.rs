//! What a person may start and upload in a day.

use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_run::{Head, Quota};
use countersign_store_runs::{Counted, Use};
use countersign_web::Problem;
use countersign_web::idempotency::Attempt;
use jiff::Timestamp;

use crate::Context;

/// The quotas of the deployment.
pub struct Quotas {
    runs: Quota,
    uploads: Quota,
}

impl Quotas {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`StartError`] when one is not a number.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self {
            runs: Quota::runs(boot.number(Setting::RunsPerDay)?),
            uploads: Quota::uploads(boot.number(Setting::UploadMegabytesPerDay)?),
        })
    }
}

/// Counts a run that a person starts. Its id stands for the request: the same request starts the same run.
pub(crate) async fn run(ctx: &Context, head: &Head, now: Timestamp) -> Result<(), Problem> {
    let of = Use { who: &head.invoked_by, amount: 1, known_by: Some(head.run.as_str()) };
    count(ctx, ctx.quotas.runs, of, now).await
}

/// Counts the bytes of an upload. A key belongs to one body: with another one the request is another.
pub(crate) async fn upload(
    ctx: &Context,
    owner: &UserId,
    attempt: &Attempt,
    bytes: u64,
    now: Timestamp,
) -> Result<(), Problem> {
    let known_by = attempt.name().map(|name| format!("{name}#{}", attempt.digest()));
    let of = Use { who: owner, amount: bytes, known_by: known_by.as_deref() };
    count(ctx, ctx.quotas.uploads, of, now).await
}

async fn count(ctx: &Context, quota: Quota, of: Use<'_>, now: Timestamp) -> Result<(), Problem> {
    match ctx.runs.count(quota, of, now).await? {
        Counted::Yes => Ok(()),
        Counted::Exceeded(exceeded) => {
            let problem = Problem::of(&exceeded).again_after(exceeded.seconds(now));
            let quota = exceeded.quota;
            Err(problem.with("quota", quota.kind.as_str()).with("limit", quota.limit))
        }
    }
}
