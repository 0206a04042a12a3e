//! What a person may start and upload in a day.

use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_run::Quota;
use countersign_run_start::counted;
use countersign_store_runs::Use;
use countersign_web::Problem;
use countersign_web::idempotency::Attempt;
use jiff::Timestamp;

use crate::Context;

/// The quota of uploads. That of runs is in [`Context::clock`], which starts runs too.
pub struct Quotas {
    uploads: Quota,
}

impl Quotas {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`StartError`] when one is not a number.
    #[inline]
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self { uploads: Quota::uploads(boot.number(Setting::UploadMegabytesPerDay)?) })
    }
}

/// Counts the bytes of an upload.
pub(crate) async fn upload(
    ctx: &Context,
    owner: &UserId,
    attempt: &Attempt,
    bytes: u64,
    now: Timestamp,
) -> Result<(), Problem> {
    of_request(ctx, ctx.quotas.uploads, owner, attempt, bytes, now).await
}

/// Counts a look of a monitor that a person asks for, as a run.
pub(crate) async fn look(
    ctx: &Context,
    owner: &UserId,
    attempt: &Attempt,
    now: Timestamp,
) -> Result<(), Problem> {
    of_request(ctx, ctx.clock.runs_per_day, owner, attempt, 1, now).await
}

/// Counts a request once. A key belongs to one body: with another one the request is another.
async fn of_request(
    ctx: &Context,
    quota: Quota,
    owner: &UserId,
    attempt: &Attempt,
    amount: u64,
    now: Timestamp,
) -> Result<(), Problem> {
    let known_by = attempt.name().map(|name| format!("{name}#{}", attempt.digest()));
    let of = Use { who: owner, amount, known_by: known_by.as_deref() };
    counted(ctx.runs.count(quota, of, now).await?, now)
}
