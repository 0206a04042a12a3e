//! `/notifications`: what the caller was told (F-072, F-190).

use axum::extract::State;
use countersign_store_content::Notification;
use countersign_store_kit::Page as Stored;
use countersign_web::{Cursor, Json, Page, PageQuery, Problem, Query};
use futures::future::BoxFuture;
use serde_json::Value;

use super::{Ctx, Reader};
use crate::pagination::read_on;
use crate::queries::NotificationQuery;

/// What the caller was told, newest first: `notification_type` (`agent_job_complete`, `agent_message`,
/// `credential_rejected`, `monitor_failing`, `items_parked`, `run_left_out`), `title`, `message`, `priority`, `action_url`, `action_label`, `details`, `run`, `created_at` and, once
/// it was read, `read_at`.
#[utoipa::path(get, path = "/notifications", tag = "notifications", params(NotificationQuery), responses((status = 200, body = Page<Value>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<NotificationQuery>,
) -> Result<Json<Page<Notification>>, Problem> {
    let unread = query.unread.map(|unread| unread.to_string());
    let filters = [("unread", unread.as_deref())];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "notifications", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor };
    let (limit, after) = (paging.limit()?, paging.after(&cursor)?);
    let (ctx, wanted) = (&ctx, query.unread);
    let read = |limit: i32, after: Option<String>| -> BoxFuture<'_, _> {
        Box::pin(async move {
            let mut page = ctx.content.notifications(owner, limit, after.as_deref()).await?;
            page.items.retain(|note| wanted.is_none_or(|unread| note.read_at.is_none() == unread));
            Ok(Stored { items: page.items, next: page.next })
        })
    };
    let found = read_on(limit, after, read).await?;
    Ok(Json(cursor.page(found.items, found.next.as_deref())))
}
