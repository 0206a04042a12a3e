//! `/exports`.

use super::answers::ExportAnswer;
use crate::lists::{Asked, PageOf};
use countersign_store_content::Export;
use countersign_web::{Page, PageQuery};

/// The caller's exported files, newest first.
#[utoipa::path(get, path = "/exports", tag = "content", params(PageQuery), responses((status = 200, body = Page<ExportAnswer>)))]
pub(crate) async fn list(asked: Asked<PageQuery>) -> PageOf<Export> {
    asked.listed("exports", &[], |window| asked.ctx.content.exports(&asked.owner, window)).await
}
