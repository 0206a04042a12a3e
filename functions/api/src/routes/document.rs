//! `/documents/{id}`.

use countersign_store_content::{Document, DocumentId};
use countersign_web::Json;
use schemars::JsonSchema;
use serde::Serialize;

use super::{JsonOf, Named, Reader, found};
use crate::documented::documented;

/// A document with its text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DocumentDetail")]
pub(crate) struct DocumentView {
    #[serde(flatten)]
    document: Document,
    /// The text.
    body: String,
}

documented!(DocumentView);

/// One document of the caller.
#[utoipa::path(
    get, path = "/documents/{id}", tag = "content", params(("id" = String, Path, description = "`doc_…`")),
    responses((status = 200, body = DocumentView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref user), id): Named<DocumentId>,
) -> JsonOf<DocumentView> {
    let (document, body) = found(ctx.content.document_body(user, &id).await?)?;
    Ok(Json(DocumentView { document, body }))
}
