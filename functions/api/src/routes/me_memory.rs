//! `/me/memory`: what the caller wants models to know of them (R-110, K-45), and what was learned of them if they want that.

use axum::extract::State;
use countersign_question::{AboutPerson, Learned};
use countersign_store_catalog::StoredAbout;
use countersign_web::{Json, Problem};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use super::answers::AboutAnswer;
use super::{Analyst, Ctx, JsonOf, Reader, now};
use crate::documented::documented;

/// What is known of the caller.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Memory {
    /// What they have written.
    #[serde(flatten)]
    said: StoredAbout,
    /// What was learned, if they want that.
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<Learned>,
}

documented!(Memory);

/// What the caller has written of themselves: `critical_facts` (`user_name`, `company_name`, `job_title`, `recent_projects`) and
/// `preferences` (`tone`, `detail_level`, `language`), with `updated_at`. Nothing is there unless they have written it. With `learn` also
/// what a model has `learned` of them from their questions: the same fields, and `from`, which run each is from.
#[utoipa::path(get, path = "/me/memory", tag = "operation", responses((status = 200, body = Memory), (status = 404, description = "NOT_FOUND: nothing is written")))]
pub(crate) async fn detail(State(ctx): Ctx, Reader(ref user): Reader) -> JsonOf<Memory> {
    let said = ctx.catalog.about(user).await?.ok_or_else(nothing_said)?;
    let learned = match said.about.learn {
        true => Some(ctx.catalog.learned(user).await?),
        false => None,
    };
    Ok(Json(Memory { said, learned }))
}

fn nothing_said() -> Problem {
    let mut problem = Problem::not_found();
    problem.detail = "you have written nothing of yourself".to_owned();
    problem.with_hint("`PUT /api/agent-factory/me/memory` writes it; `{}` with nothing in it")
}

/// Replaces what the caller has written of themselves. A model that researches for them is shown it from the next question on; one
/// that looks on the web only the `preferences`. Each text has at most 200 characters; there are at most 10 projects. With `learn: true` a
/// model looks in each question for more; without it, what was learned is erased.
#[utoipa::path(
    put, path = "/me/memory", tag = "operation", request_body = Value,
    responses((status = 200, body = AboutAnswer), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn set(
    State(ctx): Ctx,
    Analyst(ref user): Analyst,
    Json(about): Json<AboutPerson>,
) -> JsonOf<StoredAbout> {
    let said = StoredAbout { user_id: user.clone(), about, updated_at: now() };
    let before = ctx.catalog.about(user).await?;
    let has_learned = before.is_some_and(|said| said.about.learn);
    if said.about.learn && !has_learned {
        // It begins with nothing, also where erasing was broken off.
        ctx.catalog.forget_learned(user, now()).await?;
    }
    ctx.catalog.set_about(&said).await?;
    if !said.about.learn {
        ctx.catalog.forget_learned(user, now()).await?;
    }
    Ok(Json(said))
}

/// Erases it, and what was learned.
#[utoipa::path(delete, path = "/me/memory", tag = "operation", responses((status = 204)))]
pub(crate) async fn erase(
    State(ctx): Ctx,
    Reader(ref user): Reader,
) -> Result<StatusCode, Problem> {
    ctx.catalog.forget_about(user).await?;
    ctx.catalog.forget_learned(user, now()).await?;
    Ok(StatusCode::NO_CONTENT)
}
