//! `/uploads/{source}`: a file that its owner takes away.

use countersign_connector::{FileId, keys};
use countersign_identity::UserId;
use countersign_web::Problem;
use http::StatusCode;

use super::{Analyst, Named};
use crate::Context;

/// Removes a file of the caller's. What runs have read of it stays in their records; a run that is still to read it does not find it.
/// Its bytes count in the day's quota all the same.
#[utoipa::path(
    delete, path = "/uploads/{source}", tag = "content", params(("source" = String, Path, description = "`file_…`, the `source` of the upload")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    Named(ctx, Analyst(ref owner), source): Named<String, Analyst>,
) -> Result<StatusCode, Problem> {
    remove(&ctx, owner, &source).await
}

/// Removes a file in a folder of the caller's, as the other operation does: a monitor of the folder sees that it is `deleted`.
#[utoipa::path(
    delete, path = "/uploads/folders/{folder}/{file_id}", tag = "content",
    params(("folder" = String, Path, description = "the folder"), ("file_id" = String, Path, description = "`file_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete_in_folder(
    Named(ctx, Analyst(ref owner), (folder, file_id)): Named<(String, FileId), Analyst>,
) -> Result<StatusCode, Problem> {
    remove(&ctx, owner, &keys::source(Some(&folder), &file_id)).await
}

/// Removes what lies under a source, which is one file: a whole folder is not removed at once.
async fn remove(ctx: &Context, owner: &UserId, source: &str) -> Result<StatusCode, Problem> {
    let prefix = keys::file_of_source(owner, source).ok_or_else(Problem::not_found)?;
    match ctx.uploads.remove(&prefix).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found()),
    }
}
