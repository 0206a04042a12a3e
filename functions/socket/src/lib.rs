//! Opens and closes the connections to which what happens is pushed (A-155, K-31).
//!
//! A connection is opened with a ticket, which `api` gives to whoever comes with a good token. The person is the ticket's, whatever
//! else the address says. What is sent through a connection changes nothing: a program writes something now and then so that
//! the gateway keeps it open.

mod error;

use countersign_lambda_entry::{Fault, decode};
use countersign_push::Push;
use countersign_store_content::{Connection, OPEN_FOR};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use error::SocketError;

/// No ticket is longer.
const MAX_TICKET: usize = 128;

/// The part of the gateway's event that this function reads.
#[derive(Debug, Deserialize)]
pub struct Request {
    #[serde(rename = "requestContext")]
    context: Gateway,
    /// The address' parameters; only when a connection is opened.
    #[serde(default, rename = "queryStringParameters")]
    query: Option<Map<String, Value>>,
}

/// What the gateway says of the connection.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Gateway {
    event_type: EventType,
    connection_id: String,
}

/// What happens to the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum EventType {
    Connect,
    Message,
    Disconnect,
}

/// Answers one event of the gateway: 200, or 401 to whoever may not connect. A body would be sent to the client.
///
/// # Errors
/// A [`Fault`] when a table does not answer: nothing is connected then.
pub async fn handle(push: &Push, event: Value, now: Timestamp) -> Result<Value, Fault> {
    let request: Request = decode(event)?;
    let status = match request.context.event_type {
        EventType::Connect if open(push, &request, now).await? => 200,
        EventType::Connect => 401,
        EventType::Message => 200,
        EventType::Disconnect => {
            let gone = push.content.disconnect(&request.context.connection_id).await;
            gone.map_err(SocketError::from)?;
            200
        }
    };
    Ok(json!({ "statusCode": status }))
}

/// Opens a connection, when its ticket is good and its token still is.
async fn open(push: &Push, request: &Request, now: Timestamp) -> Result<bool, SocketError> {
    let Some(ticket) = ticket(request) else { return Ok(false) };
    let Some(found) = push.content.take_ticket(ticket, now).await? else {
        return Ok(false);
    };
    let entry = push.directory.entry_of(&found.token.user).await?;
    let Some(Ok(_)) = entry.map(|entry| entry.effective(&found.token)) else { return Ok(false) };
    let latest = now.saturating_add(OPEN_FOR).unwrap_or(now);
    let expires = found.token.expires_at.and_then(|at| Timestamp::from_second(at).ok());
    let connection = Connection {
        id: request.context.connection_id.clone(),
        until: expires.map_or(latest, |at| at.min(latest)),
        token: found.token,
        opened_at: now,
    };
    for old in push.content.connect(&connection).await? {
        if let Err(error) = push.connections.close(&old.id).await {
            tracing::warn!(%error, "a connection that had to make room is still open; nothing is sent to it");
        }
    }
    Ok(true)
}

fn ticket(request: &Request) -> Option<&str> {
    let ticket = request.query.as_ref()?.get("ticket")?.as_str()?;
    (!ticket.is_empty() && ticket.len() <= MAX_TICKET).then_some(ticket)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str) -> Request {
        let path = format!("{}/../../events/socket/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    #[test]
    fn k_31_only_a_ticket_says_who_connects() {
        let connect = sample("connect");
        assert_eq!(connect.context.event_type, EventType::Connect);
        assert_eq!(ticket(&connect), Some("b3f1"));
        for (name, kind) in [("message", EventType::Message), ("disconnect", EventType::Disconnect)]
        {
            let other = sample(name);
            assert_eq!((other.context.event_type, ticket(&other)), (kind, None), "{name}");
        }
    }

    #[test]
    fn a_ticket_that_is_too_long_is_none() {
        let mut connect = sample("connect");
        let query = connect.query.as_mut().unwrap();
        query.insert("ticket".to_owned(), json!("x".repeat(MAX_TICKET + 1)));
        assert_eq!(ticket(&connect), None);
    }
}
