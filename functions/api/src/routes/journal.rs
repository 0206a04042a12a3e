//! `/journal`: what all agents of the caller wrote down (F-228).

use axum::extract::State;
use countersign_journal::Entry;
use countersign_web::{Json, Page, Problem, Query};
use serde_json::Value;

use super::{Ctx, Reader};
use crate::journal_pages::page;
use crate::queries::JournalQuery;

/// What all agents of the caller wrote down, newest first.
#[utoipa::path(
    get, path = "/journal", tag = "journal", params(JournalQuery),
    responses((status = 200, body = Page<Value>), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<JournalQuery>,
) -> Result<Json<Page<Entry>>, Problem> {
    Ok(Json(page(&ctx, owner, None, &query).await?))
}
