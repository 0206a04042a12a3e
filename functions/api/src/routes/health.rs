//! `GET /health`: whether the door is open.

use countersign_web::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// The door's state.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// The version that answers.
    version: &'static str,
}

/// Whether the door is open. Says nothing about what is behind it.
#[utoipa::path(get, path = "/health", tag = "operation", security(()), responses((status = 200, body = Health)))]
pub(crate) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}
