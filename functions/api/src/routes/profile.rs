//! `/profiles/{id}` (F-321…F-323).

use axum::extract::State;
use countersign_profile::{Profile, ProfileId};
use countersign_web::{Json, Path, Problem, Signed};
use http::StatusCode;
use serde_json::Value;

use super::profile_fields::Record;
use super::profiles::spec;
use super::{Ctx, analyst, found, now, reader};
use crate::Context;

/// One agent.
#[utoipa::path(
    get, path = "/profiles/{id}", tag = "profiles", params(("id" = String, Path, description = "`prof_…`")),
    responses((status = 200, body = Record), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ProfileId>,
) -> Result<Json<Profile>, Problem> {
    let State(ctx) = ctx;
    Ok(Json(found(ctx.catalog.profile(reader(&signed)?, &id).await?)?))
}

/// Replaces the fields of an agent. `is_active` switches it; `version`, when sent, must be the one that was read.
#[utoipa::path(
    put, path = "/profiles/{id}", tag = "profiles", request_body = Record,
    params(("id" = String, Path, description = "`prof_…`")),
    responses((status = 200, body = Record), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"))
)]
pub(crate) async fn replace(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ProfileId>,
    Json(body): Json<Value>,
) -> Result<Json<Profile>, Problem> {
    let State(ctx) = ctx;
    let before = own(&ctx, &signed, &id).await?;
    if body.get("version").and_then(Value::as_u64).is_some_and(|seen| seen != before.version) {
        return Err(Problem::conflict(
            "VERSION_CONFLICT",
            "the profile was changed by somebody else in between",
        ));
    }
    let is_active = match body.get("is_active") {
        None => before.is_active,
        Some(value) => {
            value.as_bool().ok_or_else(|| Problem::field("is_active", "is true or false"))?
        }
    };
    let after = Profile {
        spec: spec(&body)?,
        is_active,
        version: before.version + 1,
        updated_at: now(),
        ..before.clone()
    };
    ctx.catalog.replace_profile(&before, &after).await?;
    Ok(Json(after))
}

/// Removes an agent with its data sources and their credentials (F-178). Its runs and receipts stay.
#[utoipa::path(
    delete, path = "/profiles/{id}", tag = "profiles", params(("id" = String, Path, description = "`prof_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<ProfileId>,
) -> Result<StatusCode, Problem> {
    let State(ctx) = ctx;
    let profile = own(&ctx, &signed, &id).await?;
    let owner = &signed.caller.user;
    // Credentials first: a crash in between leaves bindings without a secret, never a secret without a binding.
    for binding in ctx.catalog.bindings(owner, profile.id.as_str()).await? {
        if let Some(credential) = &binding.credential {
            ctx.vault.delete(owner, credential).await?;
        }
    }
    ctx.catalog.delete_profile(owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The caller's own profile; what the system ships cannot be changed here (F-006).
pub(super) async fn own(
    ctx: &Context,
    signed: &Signed,
    id: &ProfileId,
) -> Result<Profile, Problem> {
    let owner = analyst(signed)?;
    let profile = found(ctx.catalog.profile(owner, id).await?)?;
    if profile.user_id.is_some() { Ok(profile) } else { Err(shipped()) }
}

/// The answer to changing what the deployment ships.
pub(super) fn shipped() -> Problem {
    let problem = Problem::new(
        StatusCode::FORBIDDEN,
        "SYSTEM_TEMPLATE",
        "what the deployment ships cannot be changed",
    );
    problem.with_hint("make a copy and change that")
}
