//! `/connectors/{id}/versions`.

use countersign_connector::{ConnectorId, StoredConnector};
use countersign_store_kit::Page as Stored;
use countersign_web::{Page, PageQuery, Path};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::found;
use crate::lists::{Asked, PageOf};

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
    asked: Asked<PageQuery>,
    Path(id): Path<ConnectorId>,
) -> PageOf<ConnectorVersion> {
    let (connectors, owner) = (asked.ctx.catalog.connectors(), &asked.owner);
    let paging = asked.paging("connector-versions", &[("connector", Some(id.as_str()))]).await?;
    let stored = found(connectors.get(owner, &id).await?)?;
    let page = if stored.owner.is_none() {
        Stored { items: vec![stored], next: None }
    } else {
        connectors.versions(owner, &id, paging.window()).await?
    };
    paging.page(page.map(ConnectorVersion::from))
}
