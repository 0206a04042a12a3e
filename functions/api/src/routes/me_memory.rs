//! `/me/memory`: what the caller wants models to know of them (R-110, K-45).

use axum::extract::State;
use countersign_question::AboutPerson;
use countersign_store_catalog::StoredAbout;
use countersign_web::{Json, Problem};
use http::StatusCode;

use super::{Analyst, Ctx, Reader, found, now};

/// What the caller has written of themselves: `critical_facts` (`user_name`, `company_name`, `job_title`, `recent_projects`) and
/// `preferences` (`tone`, `detail_level`, `language`), with `updated_at`. Nothing is there unless they have written it.
#[utoipa::path(get, path = "/me/memory", tag = "operation", responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND")))]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref user): Reader,
) -> Result<Json<StoredAbout>, Problem> {
    Ok(Json(found(ctx.catalog.about(user).await?)?))
}

/// Replaces what the caller has written of themselves. A model that researches for them is shown it from the next question on; one
/// that looks on the web only the `preferences`. Each text has at most 200 characters; there are at most 10 projects.
#[utoipa::path(
    put, path = "/me/memory", tag = "operation", request_body = Value,
    responses((status = 200, body = Value), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn set(
    State(ctx): Ctx,
    Analyst(ref user): Analyst,
    Json(about): Json<AboutPerson>,
) -> Result<Json<StoredAbout>, Problem> {
    let said = StoredAbout { user_id: user.clone(), about, updated_at: now() };
    ctx.catalog.set_about(&said).await?;
    Ok(Json(said))
}

/// Erases it.
#[utoipa::path(delete, path = "/me/memory", tag = "operation", responses((status = 204)))]
pub(crate) async fn erase(
    State(ctx): Ctx,
    Reader(ref user): Reader,
) -> Result<StatusCode, Problem> {
    ctx.catalog.forget_about(user).await?;
    Ok(StatusCode::NO_CONTENT)
}
