//! `/profiles/{id}/journal` (F-375).

use axum::extract::State;
use countersign_journal::Entry;
use countersign_profile::ProfileId;
use countersign_web::{Json, Page, Path, Problem, Query};
use serde_json::Value;

use super::{Ctx, Reader, found};
use crate::journal_pages::page;
use crate::queries::JournalQuery;

/// What an agent wrote down, newest first.
#[utoipa::path(
    get, path = "/profiles/{id}/journal", tag = "journal", params(("id" = String, Path, description = "`prof_…`"), JournalQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<ProfileId>,
    Query(query): Query<JournalQuery>,
) -> Result<Json<Page<Entry>>, Problem> {
    found(ctx.catalog.profiles().get(owner, &id).await?)?;
    Ok(Json(page(&ctx, owner, Some(&id), &query).await?))
}
