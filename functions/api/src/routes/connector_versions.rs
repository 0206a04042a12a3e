//! `/connectors/{id}/versions`.

use axum::extract::State;
use countersign_connector::{ConnectorId, StoredConnector};
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Ctx, Reader, found};

/// One text a connector has had.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorVersion {
    /// Its semantic version.
    version: String,
    /// When it was written.
    #[schema(value_type = String, format = DateTime)]
    written_at: Timestamp,
    /// The text.
    yaml: String,
}

impl From<StoredConnector> for ConnectorVersion {
    fn from(stored: StoredConnector) -> Self {
        let StoredConnector { definition, yaml, updated_at, .. } = stored;
        Self { version: definition.version, written_at: updated_at, yaml }
    }
}

/// Every text the caller has written under this id, newest first, also from before it was removed and made again. The deployment's have one: the one that is shipped.
#[utoipa::path(
    get, path = "/connectors/{id}/versions", tag = "connectors",
    params(("id" = String, Path, description = "kebab-case"), PageQuery),
    responses((status = 200, body = Page<ConnectorVersion>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<ConnectorId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ConnectorVersion>>, Problem> {
    let cursor = Cursor::new(
        ctx.cursors.get().await?,
        owner,
        "connector-versions",
        &[("connector", Some(id.as_str()))],
    );
    let (limit, after) = (query.limit()?, query.after(&cursor)?);
    let stored = found(ctx.catalog.connectors().get(owner, &id).await?)?;
    if stored.owner.is_none() {
        return Ok(Json(cursor.page(vec![stored.into()], None)));
    }
    let page = ctx.catalog.connectors().versions(owner, &id, limit, after.as_deref()).await?;
    let versions = page.items.into_iter().map(ConnectorVersion::from).collect();
    Ok(Json(cursor.page(versions, page.next.as_deref())))
}
