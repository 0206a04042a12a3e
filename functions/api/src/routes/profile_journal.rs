//! `/profiles/{id}/journal` (F-375).

use countersign_journal::Entry;
use countersign_profile::ProfileId;
use countersign_web::{Page, Path};

use super::answers::EntryAnswer;
use super::found;
use crate::journal_pages::page;
use crate::lists::{Asked, PageOf};
use crate::queries::JournalQuery;

/// What an agent wrote down, newest first.
#[utoipa::path(
    get, path = "/profiles/{id}/journal", tag = "journal", params(("id" = String, Path, description = "`prof_…`"), JournalQuery),
    responses((status = 200, body = Page<EntryAnswer>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn list(asked: Asked<JournalQuery>, Path(id): Path<ProfileId>) -> PageOf<Entry> {
    found(asked.ctx.catalog.profiles().get(&asked.owner, &id).await?)?;
    page(&asked.ctx, &asked.owner, Some(&id), &asked.query).await
}
