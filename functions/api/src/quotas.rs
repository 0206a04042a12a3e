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

/// The quotas of the deployment.
pub struct Quotas {
    pub(crate) runs: Quota,
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
    counted(ctx.runs.count(ctx.quotas.uploads, of, now).await?, now)
}
