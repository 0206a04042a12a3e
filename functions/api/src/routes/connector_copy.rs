//! `/connectors/from-template/{template}` (F-334).

use axum::extract::State;
use axum::response::Response;
use countersign_connector::{ConnectorId, StoredConnector};
use countersign_web::replay::{Attempt, Key};
use countersign_web::{Path, Problem, Signed};

use super::connectors::ConnectorView;
use super::{Ctx, analyst, found, now};
use crate::compiling;
use crate::once::{created, do_once};

/// Copies a connector the deployment ships; the copy has the same id, is the caller's, and is found instead of it. What
/// only the deployment may say, such as `env_var`, is not part of it, and told in `warnings`.
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
        let (definition, warnings) = compiling::connector(&shipped.yaml)?;
        let copy = StoredConnector {
            owner: Some(owner.clone()),
            definition,
            yaml: shipped.yaml,
            updated_at: now(),
            accepted: Vec::new(),
        };
        let stored = ctx.catalog.create_connector(&copy).await?;
        let place = format!("/api/agent-factory/connectors/{template}");
        created(place, &ConnectorView::written(stored, warnings))
    });
    do_once(&ctx.catalog, &attempt, now(), work).await
}
