//! Pushes what happens to the open connections of those whom it concerns.
//!
//! A message says what happened and to what, by ids; what they stand for is read at the API, with the rights of that moment. Before
//! anything is sent, the token of the connection is asked about again: one that is void or expired ends its connection.

mod error;

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Fault, Setting, StartError, decode};
use countersign_outbox::{Connections, Pushed};
use countersign_store_content::{Connection, ContentStore};
use countersign_store_directory::Directory;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use error::PushError;

/// Fields of an event that say whom it concerns, or how it is written; nobody is sent them.
const UNSENT: [&str; 5] = ["v", "kind", "tenant", "owner", "people"];

/// What is gone so early may not be open yet: the gateway calls first and opens then.
const OPENING: SignedDuration = SignedDuration::from_secs(10);

/// An event of the deployment's bus.
#[derive(Debug, Deserialize)]
pub struct Event {
    /// What happened.
    pub detail: Detail,
}

/// What happened: a kind and ids.
#[derive(Debug, Deserialize)]
pub struct Detail {
    /// Such as `run.finished`.
    pub kind: String,
    /// Whose it is.
    pub owner: UserId,
    /// Whom it concerns as well.
    #[serde(default)]
    pub people: Vec<UserId>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Detail {
    fn concerned(&self) -> BTreeSet<&UserId> {
        self.people.iter().chain([&self.owner]).collect()
    }

    /// What is sent: `type` and the ids.
    fn message(&self) -> Value {
        let fields = self.rest.iter().filter(|(name, _)| !UNSENT.contains(&name.as_str()));
        let mut message: Map<String, Value> =
            fields.map(|(name, value)| (name.clone(), value.clone())).collect();
        message.insert("type".to_owned(), json!(self.kind));
        Value::Object(message)
    }
}

/// What the function works with.
pub struct Context {
    content: ContentStore,
    directory: Directory,
    connections: Connections,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let dynamo = boot.dynamo();
        Ok(Self {
            content: ContentStore::new(boot.table(Setting::TableContent, &dynamo)?, boot.blobs()?),
            directory: Directory::new(boot.table(Setting::TableDirectory, &dynamo)?),
            connections: Connections::new(&boot.aws, boot.settings.need(Setting::SocketEndpoint)?),
        })
    }
}

/// Pushes one event; answers with how many connections have it.
///
/// # Errors
/// A [`Fault`] when a table does not answer; the event comes again, and some connections may get it twice.
pub async fn handle(context: &Context, event: Value, now: Timestamp) -> Result<Value, Fault> {
    let Event { detail } = decode(event)?;
    let message = detail.message();
    let mut pushed = 0;
    for person in detail.concerned() {
        pushed += to_person(context, person, &message, now).await?;
    }
    Ok(json!({ "pushed": pushed }))
}

async fn to_person(
    context: &Context,
    person: &UserId,
    message: &Value,
    now: Timestamp,
) -> Result<u32, PushError> {
    let connections = context.content.connections(person).await?;
    if connections.is_empty() {
        return Ok(0);
    }
    let entry = context.directory.entry_of(person).await?;
    let mut pushed = 0;
    for connection in &connections {
        let is_good =
            entry.as_ref().is_some_and(|entry| entry.effective(&connection.token).is_ok());
        if is_good && now < connection.until {
            pushed += u32::from(sent(context, connection, message, now).await?);
        } else {
            ended(context, connection).await?;
        }
    }
    Ok(pushed)
}

/// Sends a message. A connection that cannot be reached keeps nothing from the others: whoever misses a message finds it at the API.
async fn sent(
    context: &Context,
    connection: &Connection,
    message: &Value,
    now: Timestamp,
) -> Result<bool, PushError> {
    match context.connections.push(&connection.id, message).await {
        Ok(Pushed::Sent) => Ok(true),
        Ok(Pushed::Gone) => {
            if now.duration_since(connection.opened_at) > OPENING {
                context.content.disconnect(&connection.id).await?;
            }
            Ok(false)
        }
        Err(error) => {
            tracing::warn!(%error, "a connection has missed a message");
            Ok(false)
        }
    }
}

async fn ended(context: &Context, connection: &Connection) -> Result<(), PushError> {
    if let Err(error) = context.connections.close(&connection.id).await {
        tracing::warn!(%error, "a connection whose token is void is still open; nothing is sent to it");
    }
    Ok(context.content.disconnect(&connection.id).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_155_a_message_has_ids_and_says_nothing_of_others() {
        let sample = include_str!("../../../events/on-event/approval-opened.json");
        let Event { detail } = serde_json::from_str(sample).unwrap();
        let expect = json!({
            "type": "approval.opened", "at": "2026-11-21T10:00:00Z", "approval": "appr_0197c3a1b2c3d4e5f60718293a4b5c6d",
            "run": "run_0197c3a1b2c3d4e5f60718293a4b5c6d", "approval_kind": "step", "status": "pending",
        });
        assert_eq!(detail.message(), expect);
        let people = detail.concerned();
        assert_eq!(people.len(), 2, "{people:?}");
        assert!(people.contains(&detail.owner));
    }
}
