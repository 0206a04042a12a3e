//! `/connectors/templates` (F-333): the same list, only what the deployment ships.

use axum::extract::State;
use countersign_connector::StoredConnector;
use countersign_web::{FieldError, Page, Problem, Query};

use super::collection::list as list_documents;
use super::connectors::ConnectorLine;
use super::{Ctx, JsonOf, Reader};
use crate::queries::ConnectorQuery;

/// Whose they are.
const SYSTEM: &str = "system";

/// The connectors the deployment ships.
#[utoipa::path(get, path = "/connectors/templates", tag = "connectors", params(ConnectorQuery), responses((status = 200, body = Page<ConnectorLine>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    reader: Reader,
    Query(query): Query<ConnectorQuery>,
) -> JsonOf<Page<ConnectorLine>> {
    if query.from.as_deref().is_some_and(|from| from != SYSTEM) {
        let error = FieldError::new("from", "a template is always of the deployment");
        return Err(Problem::invalid(vec![
            error.with_hint(format!("`{SYSTEM}`, or leave it out")),
        ]));
    }
    let query = ConnectorQuery { from: Some(SYSTEM.to_owned()), ..query };
    list_documents::<StoredConnector>(State(ctx), reader, Query(query)).await
}
