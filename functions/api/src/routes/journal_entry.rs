//! `/journal/{id}` (F-377).

use countersign_journal::{Entry, EntryId, JournalRead as _};

use super::answers::EntryAnswer;
use super::{JsonOf, Named, Reader, json_of};

/// One entry of the caller's journals.
#[utoipa::path(
    get, path = "/journal/{id}", tag = "journal", params(("id" = String, Path, description = "`jrnl_…`")),
    responses((status = 200, body = EntryAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, Reader(ref user), id): Named<EntryId>) -> JsonOf<Entry> {
    json_of(ctx.journal.entry(user, &id).await?)
}
