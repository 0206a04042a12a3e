//! `/approvals` (F-357).
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use axum::extract::State;
use countersign_store_approvals::{Shelf, Summary};
use countersign_web::{Cursor, Json, Page, PageQuery, Problem, Query};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::{Ctx, Reader};

/// What to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalQuery {
    /// At most so many items, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// `approver`: what the caller may be asked to decide (the default); `owner`: what the caller's runs wait for.
    role: Option<String>,
    /// `pending` (the default, nearest deadline first) or `closed` (newest first).
    status: Option<String>,
}

/// Requests for approval.
#[utoipa::path(get, path = "/approvals", tag = "approvals", params(ApprovalQuery), responses((status = 200, body = Page<Value>), (status = 403, description = "PERMISSION_DENIED")))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref person): Reader,
    Query(query): Query<ApprovalQuery>,
) -> Result<Json<Page<Summary>>, Problem> {
    let filters = [("role", query.role.as_deref()), ("status", query.status.as_deref())];
    let cursor = Cursor::new(ctx.cursors.get().await?, person, "approvals", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let (limit, after) = (paging.limit()?, paging.after(&cursor)?);
    let shelf = match query.status.as_deref() {
        None | Some("pending") => Shelf::Pending,
        Some("closed") => Shelf::Closed,
        Some(_) => return Err(Problem::field("status", "is `pending` or `closed`")),
    };
    let page = match query.role.as_deref() {
        None | Some("approver") => {
            ctx.approvals.for_approver(person, shelf, limit, after.as_deref()).await?
        }
        Some("owner") => ctx.approvals.of_owner(person, shelf, limit, after.as_deref()).await?,
        Some(_) => return Err(Problem::field("role", "is `approver` or `owner`")),
    };
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
