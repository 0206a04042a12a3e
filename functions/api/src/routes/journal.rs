//! `/journal`: what all agents of the caller wrote down (F-228).

use countersign_journal::Entry;
use countersign_web::Page;

use super::answers::EntryAnswer;
use crate::journal_pages::page;
use crate::lists::{Asked, PageOf};
use crate::queries::JournalQuery;

/// What all agents of the caller wrote down, newest first.
#[utoipa::path(
    get, path = "/journal", tag = "journal", params(JournalQuery),
    responses((status = 200, body = Page<EntryAnswer>), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn list(asked: Asked<JournalQuery>) -> PageOf<Entry> {
    page(&asked.ctx, &asked.owner, None, &asked.query).await
}
