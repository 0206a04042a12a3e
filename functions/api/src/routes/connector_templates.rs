//! `/connectors/templates` (F-333): the same list, only what the deployment ships.

use axum::extract::State;
use countersign_web::{Json, Page, Problem, Query, Signed};

use super::Ctx;
use super::connectors::{self, ConnectorLine};
use crate::queries::ConnectorQuery;

/// The connectors the deployment ships.
#[utoipa::path(get, path = "/connectors/templates", tag = "connectors", params(ConnectorQuery), responses((status = 200, body = Page<ConnectorLine>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    signed: Signed,
    Query(query): Query<ConnectorQuery>,
) -> Result<Json<Page<ConnectorLine>>, Problem> {
    let query = ConnectorQuery { from: Some("system".to_owned()), ..query };
    connectors::list(State(ctx), signed, Query(query)).await
}
