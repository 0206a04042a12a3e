//! `/notifications`: what the caller was told (F-072, F-190).

use countersign_store_content::Notification;
use countersign_web::Page;

use super::answers::NotificationAnswer;
use crate::lists::{Asked, PageOf};
use crate::queries::NotificationQuery;

/// What the caller was told, newest first: `notification_type` (`agent_job_complete`, `agent_message`,
/// `credential_rejected`, `monitor_failing`, `items_parked`, `run_left_out`), `title`, `message`, `priority`, `action_url`, `action_label`, `details`, `run`, `created_at` and, once
/// it was read, `read_at`.
#[utoipa::path(get, path = "/notifications", tag = "notifications", params(NotificationQuery), responses((status = 200, body = Page<NotificationAnswer>)))]
pub(crate) async fn list(asked: Asked<NotificationQuery>) -> PageOf<Notification> {
    let wanted = asked.query.unread;
    let unread = wanted.map(|unread| unread.to_string());
    let read = |window| asked.ctx.content.notifications(&asked.owner, window);
    let takes = |note: &Notification| wanted.is_none_or(|unread| note.read_at.is_none() == unread);
    asked.sifted("notifications", &[("unread", unread.as_deref())], read, takes).await
}
