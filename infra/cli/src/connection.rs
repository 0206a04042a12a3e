//! A connection to which a deployment pushes what happens.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use crate::door::Door;
use crate::error::CliError;

/// The gateway ends a connection on which nothing is said for ten minutes.
const SAY_SOMETHING: Duration = Duration::from_secs(240);

/// Opening takes no longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// No message is longer: the gateway's own limit.
const LONGEST: usize = 128 * 1024;

/// An open connection.
pub struct Connection {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    alive: tokio::time::Interval,
}

impl Connection {
    /// Opens a connection of the door's caller: it asks for a ticket, and goes where that leads.
    ///
    /// # Errors
    /// [`CliError`] when there is no ticket, or the gateway does not answer.
    pub async fn open(door: &Door) -> Result<Self, CliError> {
        let opening = door.post("/api/agent-factory/connections", &json!({})).await?;
        let Some(url) = opening["url"].as_str() else {
            return Err(CliError::Found("the deployment gave no address to connect to".to_owned()));
        };
        Self::at(url).await
    }

    /// Opens the connection at an address with a ticket.
    ///
    /// # Errors
    /// [`CliError::Door`] when it is refused, or nobody answers.
    pub async fn at(url: &str) -> Result<Self, CliError> {
        // The ticket is a secret until it is used.
        let shown = url.split('?').next().unwrap_or_default().to_owned();
        let refused = |reason: String| CliError::Door { url: shown.clone(), reason };
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let opened = timeout(PATIENCE, connect_async_with_config(url, Some(config), false)).await;
        let opened = opened.map_err(|_| refused("nobody answers".to_owned()))?;
        let (stream, _) = opened.map_err(|error| refused(error.to_string()))?;
        let mut alive = interval_at(Instant::now() + SAY_SOMETHING, SAY_SOMETHING);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self { stream, alive })
    }

    /// The next message; none when the connection is over.
    ///
    /// # Errors
    /// [`CliError::Found`] when what comes is no message of a deployment.
    pub async fn next(&mut self) -> Result<Option<Value>, CliError> {
        loop {
            let message = tokio::select! {
                message = self.stream.next() => message,
                _ = self.alive.tick() => {
                    let ping = Message::text(json!({ "type": "ping" }).to_string());
                    if self.stream.send(ping).await.is_err() {
                        return Ok(None);
                    }
                    continue;
                }
            };
            match message {
                Some(Ok(Message::Text(text))) => {
                    let read = serde_json::from_str(&text);
                    let odd = |_| CliError::Found("the deployment sent no JSON".to_owned());
                    let read: Value = read.map_err(odd)?;
                    // What the gateway itself says of a failure has no type.
                    if read["type"].is_string() {
                        return Ok(Some(read));
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(None),
                Some(Ok(_)) => {}
            }
        }
    }
}
