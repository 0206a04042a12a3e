//! `/documents/{id}`.

use axum::extract::State;
use countersign_store_content::{Document, DocumentId};
use countersign_web::{Json, Path};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Ctx, JsonOf, Reader, found};

/// A document with its text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentView {
    #[serde(flatten)]
    #[schema(value_type = Object)]
    document: Document,
    /// The text.
    body: String,
}

/// One document of the caller.
#[utoipa::path(
    get, path = "/documents/{id}", tag = "content", params(("id" = String, Path, description = "`doc_…`")),
    responses((status = 200, body = DocumentView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref user): Reader,
    Path(id): Path<DocumentId>,
) -> JsonOf<DocumentView> {
    let (document, body) = found(ctx.content.document_body(user, &id).await?)?;
    Ok(Json(DocumentView { document, body }))
}
