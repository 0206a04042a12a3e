//! `/monitors/{id}/pause`, `/resume` and `/run-now` (F-370…F-372, F-216).

use axum::response::Response;
use countersign_identity::UserId;
use countersign_monitor::{MonitorId, MonitorSpec};
use countersign_run::ApprovalPolicy;
use countersign_store_catalog::Stored;
use countersign_web::idempotency::{Attempt, Key, StoredAnswer};
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::collection::Author;
use super::collection::json::Fields as _;
use super::{Analyst, JsonOf, Named, monitors, now};
use crate::idempotency::do_once;
use crate::{Context, quotas};

/// Whether a monitor looks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Switched {
    /// The monitor.
    #[schema(value_type = String)]
    id: MonitorId,
    /// Whether it looks.
    is_active: bool,
    /// Its version now.
    version: u64,
}

/// A look that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Asked {
    /// The monitor.
    #[schema(value_type = String)]
    id: MonitorId,
    /// Always `asked`: what it comes to is at `/monitors/{id}/state`, within about a minute.
    status: &'static str,
}

/// Stops a monitor's clock. A run that goes on comes to its end. Pausing twice is pausing once.
#[utoipa::path(
    post, path = "/monitors/{id}/pause", tag = "monitors", params(("id" = String, Path, description = "`mon_…`")),
    responses((status = 200, body = Switched), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT: somebody else changed it in between"))
)]
pub(crate) async fn pause(
    Named(ctx, Analyst(ref owner), id): Named<MonitorId, Analyst>,
) -> JsonOf<Switched> {
    switch(&ctx, owner, &id, false).await
}

/// Starts a monitor's clock again; it looks at once. Resuming twice is resuming once.
#[utoipa::path(
    post, path = "/monitors/{id}/resume", tag = "monitors", params(("id" = String, Path, description = "`mon_…`")),
    responses((status = 200, body = Switched), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT: somebody else changed it in between"), (status = 422, description = "INVALID_INPUT: its agent or playbook does not allow it any more"))
)]
pub(crate) async fn resume(
    Named(ctx, Analyst(ref owner), id): Named<MonitorId, Analyst>,
) -> JsonOf<Switched> {
    switch(&ctx, owner, &id, true).await
}

async fn switch(
    ctx: &Context,
    owner: &UserId,
    id: &MonitorId,
    is_active: bool,
) -> JsonOf<Switched> {
    let before = monitors::own(ctx, owner, id).await?;
    if before.spec.is_active == is_active {
        return Ok(Json(Switched { id: before.id, is_active, version: before.version }));
    }
    let spec = MonitorSpec { is_active, ..before.spec.clone() };
    if is_active {
        let scopes = before.scopes.clone().unwrap_or_default();
        spec.check(ctx, Author { user: owner, scopes: &scopes, id: [0; 16] }).await?;
    }
    let (version, updated_at) = (before.version + 1, now());
    let after = Stored { spec, version, updated_at, ..before.clone() };
    ctx.catalog.collection::<Stored<MonitorSpec>>().replace(&before, &after).await?;
    MonitorSpec::after_write(&after, ctx).await;
    Ok(Json(Switched { id: after.id, is_active, version }))
}

/// Lets a monitor look now, whatever its interval and its hours say. The look counts in the caller's quota as a run, and a run that
/// comes of it as another one. Its gates ask, whatever `approval_policy` says: somebody is there.
#[utoipa::path(
    post, path = "/monitors/{id}/run-now", tag = "monitors",
    params(("id" = String, Path, description = "`mon_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key asks for the same look")),
    responses((status = 202, body = Asked), (status = 404, description = "NOT_FOUND"), (status = 409, description = "MONITOR_PAUSED"), (status = 422, description = "APPROVAL_UNREACHABLE, INVALID_INPUT: what came of the look could not run"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn run_now(
    Named(ctx, Analyst(ref owner), id): Named<MonitorId, Analyst>,
    key: Key,
) -> Result<Response, Problem> {
    let attempt = Attempt::new(owner, &format!("POST /monitors/{id}/run-now"), key, &id)?;
    do_once(&ctx, &attempt, async {
        let monitor = monitors::own(&ctx, owner, &id).await?;
        may_ask(&ctx, owner, &monitor).await?;
        quotas::look(&ctx, owner, &attempt, now()).await?;
        monitors::tick_now(&ctx, &monitor).await?;
        StoredAnswer::new(StatusCode::ACCEPTED, None, &Asked { id: id.clone(), status: "asked" })
    })
    .await
}

/// Whether a person may have this monitor do something now, and what comes of it could run. Where gates open by themselves, nobody may
/// be there who could open them.
pub(super) async fn may_ask(
    ctx: &Context,
    owner: &UserId,
    monitor: &Stored<MonitorSpec>,
) -> Result<(), Problem> {
    if !monitor.spec.is_active {
        let problem =
            Problem::conflict("MONITOR_PAUSED", "the monitor is paused; it does not look");
        return Err(problem.with_hint("resume it first"));
    }
    if monitor.spec.approval_policy == ApprovalPolicy::Require {
        return Ok(());
    }
    let spec = MonitorSpec { approval_policy: ApprovalPolicy::Require, ..monitor.spec.clone() };
    let scopes = monitor.scopes.clone().unwrap_or_default();
    spec.check(ctx, Author { user: owner, scopes: &scopes, id: [0; 16] }).await.map(drop)
}
