//! `/connectors/from-template/{template}` (F-334).

use axum::response::Response;
use countersign_connector::ConnectorId;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Problem, Signed};

use super::collection::{created_at, may_write};
use super::connectors::{self, ConnectorView};
use super::{Named, analyst, found};
use crate::idempotency::do_once;

/// Copies a connector the deployment ships; the copy has the same id, is the caller's, and is found instead of it. What
/// only the deployment may say, such as `env_var`, is not part of it, and told in `warnings`.
#[utoipa::path(
    post, path = "/connectors/from-template/{template}", tag = "connectors",
    params(("template" = String, Path, description = "the connector's id"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = ConnectorView), (status = 403, description = "PERMISSION_DENIED: a connector of type `database` or `existing_tool` is copied by an administrator"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "NAME_TAKEN"))
)]
pub(crate) async fn copy(
    Named(ctx, signed, template): Named<ConnectorId, Signed>,
    key: Key,
) -> Result<Response, Problem> {
    let owner = analyst(&signed)?;
    let attempt =
        Attempt::new(owner, &format!("POST /connectors/from-template/{template}"), key, &())?;
    do_once(&ctx, &attempt, async {
        let shipped = found(ctx.catalog.connectors().system(&template).await?)?;
        let (copy, warnings) = connectors::read(owner, shipped.yaml)?;
        may_write(&signed, &copy)?;
        created_at(ctx.catalog.connectors().create(&copy).await?, warnings)
    })
    .await
}
