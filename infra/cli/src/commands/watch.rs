//! `countersign watch`: what happens, as it happens.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use super::session::Session;
use super::{Caller, text, visible};
use crate::connection::Connection;
use crate::door::Door;
use crate::error::CliError;
use crate::visible::compact;

/// A connection that ended is opened again after so long, and after twice as long each time that fails.
const AGAIN: Duration = Duration::from_secs(1);
const AT_LAST: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Watch {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let watched = watched(session);
        tokio::select! {
            ended = watched => ended,
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }
}

/// Shows messages until the caller may not connect any more.
async fn watched(session: &Session<'_>) -> Result<(), CliError> {
    let Session { door, as_json, console } = session;
    let mut connection = Connection::open(door).await?;
    let mut pause = AGAIN;
    console.note("connected; Ctrl-C ends it");
    loop {
        let opened = Instant::now();
        while let Some(message) = connection.next().await? {
            pause = AGAIN;
            console.line(if *as_json { compact(&message) } else { line(&message) });
        }
        if opened.elapsed() > AT_LAST {
            pause = AGAIN;
        }
        console.note("the connection has ended; what happens until the next is at the API");
        connection = reopened(door, &mut pause).await?;
        console.note("connected again");
    }
}

/// Opens a connection again, as soon as the deployment answers. Whoever may not connect is not let in later either.
async fn reopened(door: &Door, pause: &mut Duration) -> Result<Connection, CliError> {
    loop {
        tokio::time::sleep(*pause).await;
        *pause = (*pause * 2).min(AT_LAST);
        match Connection::open(door).await {
            Err(CliError::Door { .. } | CliError::Refused { status: 429 | 500.., .. }) => {}
            opened => return opened,
        }
    }
}

/// `2026-11-21T10:00:00Z run.finished run_… complete`.
fn line(message: &Value) -> String {
    let fields = ["at", "type", "run", "approval", "notification", "status", "step", "text"];
    let said: Vec<String> = fields.iter().filter_map(|field| text(message, field)).collect();
    visible(&said.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::line;

    #[test]
    fn a_155_a_message_is_a_line() {
        let message = json!({ "type": "run.finished", "at": "2026-11-21T10:00:00Z", "run": "run_1", "status": "complete" });
        assert_eq!(line(&message), "2026-11-21T10:00:00Z run.finished run_1 complete");
        assert!(!line(&json!({ "type": "a\u{1b}[2Jb" })).contains('\u{1b}'));
    }
}
