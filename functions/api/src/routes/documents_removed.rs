//! `/documents/removed`.

use countersign_store_content::RemovedDocument;
use countersign_web::{Page, PageQuery};

use super::answers::RemovedDocumentAnswer;
use super::now;
use crate::lists::{Asked, PageOf};

/// Documents of the caller that were removed and can still be restored, by id.
#[utoipa::path(get, path = "/documents/removed", tag = "content", params(PageQuery), responses((status = 200, body = Page<RemovedDocumentAnswer>)))]
pub(crate) async fn list(asked: Asked<PageQuery>) -> PageOf<RemovedDocument> {
    let read = |window| asked.ctx.content.removed_documents(&asked.owner, window);
    let now = now();
    let takes = |one: &RemovedDocument| one.restorable_until > now;
    asked.sifted("removed documents", &[], read, takes).await
}
