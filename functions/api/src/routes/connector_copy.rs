//! `/connectors/from-template/{template}` (F-334).

use axum::extract::State;
use axum::response::Response;
use countersign_connector::{ConnectorId, StoredConnector};
use countersign_web::replay::{Attempt, Key};
use countersign_web::{Path, Problem, Signed};

use super::connectors::ConnectorView;
use super::{Ctx, analyst, found, now};
use crate::once::{created, do_once};

/// Copies a connector the deployment ships; the copy has the same id, is the caller's, and is found instead of it.
#[utoipa::path(
    post, path = "/connectors/from-template/{template}", tag = "connectors",
    params(("template" = String, Path, description = "the connector's id"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = ConnectorView), (status = 404, description = "NOT_FOUND"), (status = 409, description = "NAME_TAKEN"))
)]
pub(crate) async fn copy(
    ctx: Ctx,
    signed: Signed,
    Path(template): Path<ConnectorId>,
    key: Key,
) -> Result<Response, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let attempt =
        Attempt::new(owner, &format!("POST /connectors/from-template/{template}"), key, &())?;
    let work = Box::pin(async {
        let shipped = found(ctx.catalog.system_connector(&template).await?)?;
        let copy = StoredConnector { owner: Some(owner.clone()), updated_at: now(), ..shipped };
        let stored = ctx.catalog.create_connector(&copy).await?;
        created(format!("/api/agent-factory/connectors/{template}"), &ConnectorView::from(stored))
    });
    do_once(&ctx.catalog, &attempt, now(), work).await
}
