//! `/notifications/{id}/read`.

use countersign_store_content::{Notification, NotificationId};

use super::answers::NotificationAnswer;
use super::{JsonOf, Named, Reader, json_of, now};

/// Marks a notification of the caller as read. Doing it again changes nothing.
#[utoipa::path(
    post, path = "/notifications/{id}/read", tag = "notifications", params(("id" = String, Path, description = "`note_…`")),
    responses((status = 200, body = NotificationAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn mark(
    Named(ctx, Reader(ref owner), id): Named<NotificationId>,
) -> JsonOf<Notification> {
    json_of(ctx.content.mark_read(owner, &id, now()).await?)
}
