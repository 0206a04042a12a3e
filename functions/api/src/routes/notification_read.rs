//! `/notifications/{id}/read`.

use axum::extract::State;
use countersign_store_content::{Notification, NotificationId};
use countersign_web::{Json, Path};

use super::answers::NotificationAnswer;
use super::{Ctx, JsonOf, Reader, found, now};

/// Marks a notification of the caller as read. Doing it again changes nothing.
#[utoipa::path(
    post, path = "/notifications/{id}/read", tag = "notifications", params(("id" = String, Path, description = "`note_…`")),
    responses((status = 200, body = NotificationAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn mark(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<NotificationId>,
) -> JsonOf<Notification> {
    Ok(Json(found(ctx.content.mark_read(owner, &id, now()).await?)?))
}
