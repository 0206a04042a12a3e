//! `/documents/{id}/restore`.

use axum::extract::State;
use countersign_store_content::{Document, DocumentId};
use countersign_web::{Json, Path, Problem};

use super::{Analyst, Ctx, found, now};

/// Brings a removed document of the caller back, as it was, within 30 days. Doing it again changes nothing.
#[utoipa::path(
    post, path = "/documents/{id}/restore", tag = "content", params(("id" = String, Path, description = "`doc_…`")),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn restore(
    State(ctx): Ctx,
    Analyst(ref owner): Analyst,
    Path(id): Path<DocumentId>,
) -> Result<Json<Document>, Problem> {
    Ok(Json(found(ctx.content.restore_document(owner, &id, now()).await?)?))
}
