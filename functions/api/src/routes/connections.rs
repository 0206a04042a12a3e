//! `/connections`: a ticket for a connection to which what happens is pushed.

use axum::extract::State;
use countersign_store_content::{TICKET_FOR, Ticket};
use countersign_web::{Json, Problem, Signed};
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Ctx, now, reader};

/// Where to connect.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Opening {
    /// The address of the WebSocket, with a ticket that opens one connection.
    url: String,
    /// When the ticket opens none any more.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Gives an address at which the caller's connection can be opened, once and within a minute. What happens is pushed to every
/// connection of a person: messages with a `type`, such as `run.finished`, and ids. Once its token is void or expired, a
/// connection is sent nothing; after two hours it is closed.
#[utoipa::path(
    post, path = "/connections", tag = "operation",
    responses((status = 201, body = Opening), (status = 403, description = "PERMISSION_DENIED"))
)]
pub(crate) async fn open(
    State(ctx): Ctx,
    signed: Signed,
) -> Result<(StatusCode, Json<Opening>), Problem> {
    reader(&signed)?;
    let until = now().saturating_add(TICKET_FOR).unwrap_or_else(|_| now());
    let secret = hex::encode(rand::random::<[u8; 32]>());
    let ticket = Ticket { token: signed.presented, until };
    ctx.content.issue_ticket(&secret, &ticket).await?;
    let url = format!("{}?ticket={secret}", ctx.socket_url);
    Ok((StatusCode::CREATED, Json(Opening { url, expires_at: until })))
}
