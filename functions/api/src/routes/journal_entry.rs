//! `/journal/{id}` (F-377).

use axum::extract::State;
use countersign_journal::{Entry, EntryId, JournalRead as _};
use countersign_web::{Json, Path};

use super::answers::EntryAnswer;
use super::{Ctx, JsonOf, Reader, found};

/// One entry of the caller's journals.
#[utoipa::path(
    get, path = "/journal/{id}", tag = "journal", params(("id" = String, Path, description = "`jrnl_…`")),
    responses((status = 200, body = EntryAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref user): Reader,
    Path(id): Path<EntryId>,
) -> JsonOf<Entry> {
    Ok(Json(found(ctx.journal.entry(user, &id).await?)?))
}
