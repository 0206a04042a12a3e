//! `/connectors/templates` (F-333): the same list, only what the deployment ships.

use axum::extract::State;
use countersign_connector::StoredConnector;
use countersign_web::{Json, Page, Problem, Query};

use super::collection::list as list_documents;
use super::connectors::ConnectorLine;
use super::{Ctx, Reader};
use crate::queries::ConnectorQuery;

/// The connectors the deployment ships.
#[utoipa::path(get, path = "/connectors/templates", tag = "connectors", params(ConnectorQuery), responses((status = 200, body = Page<ConnectorLine>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    reader: Reader,
    Query(query): Query<ConnectorQuery>,
) -> Result<Json<Page<ConnectorLine>>, Problem> {
    let query = ConnectorQuery { from: Some("system".to_owned()), ..query };
    list_documents::<StoredConnector>(State(ctx), reader, Query(query)).await
}
