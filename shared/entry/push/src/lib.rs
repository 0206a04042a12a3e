//! Sends messages to the open connections of a person (A-155, K-31).
//!
//! Before anything is sent, the token of a connection is asked about again: one that is void or expired ends its connection.

mod error;

use countersign_identity::{Caller, Requirement, Role, UserId};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_outbox::{Connections, Pushed};
use countersign_store_content::{Connection, ContentStore};
use countersign_store_directory::Directory;
use futures::future::try_join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

pub use error::PushError;

/// What is gone so early may not be open yet: the gateway calls first and opens then.
const OPENING: SignedDuration = SignedDuration::from_secs(10);

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub enum Message<'m> {
    /// Ids: what they stand for is read at the API.
    Ids(&'m Value),
    /// Something that the person could read at the API. It needs the same role, at this moment.
    Content(&'m Value),
}

impl<'m> Message<'m> {
    fn body(self) -> &'m Value {
        match self {
            Self::Ids(body) | Self::Content(body) => body,
        }
    }

    /// Whether somebody with these rights is sent it.
    fn is_for(self, caller: &Caller) -> bool {
        match self {
            Self::Ids(_) => true,
            Self::Content(_) => caller.permits(&Requirement::role(Role::Reader), None).is_ok(),
        }
    }
}

/// The open connections of everybody.
#[derive(Debug, Clone)]
pub struct Push {
    /// Which connections there are, and the tickets they are opened with.
    pub content: ContentStore,
    /// What the people at their other ends may do.
    pub directory: Directory,
    /// The gateway that holds them.
    pub connections: Connections,
}

impl Push {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self {
            content: ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?),
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            connections: Connections::new(&boot.aws, boot.settings.need(Setting::SocketEndpoint)?),
        })
    }

    /// Sends messages to every connection of a person, in this order; says how many were sent.
    ///
    /// # Errors
    /// [`PushError`] when a table does not answer; some connections may have the message.
    pub async fn to_person(
        &self,
        person: &UserId,
        messages: &[Message<'_>],
        now: Timestamp,
    ) -> Result<u32, PushError> {
        let connections = self.content.connections(person).await?;
        if connections.is_empty() {
            return Ok(0);
        }
        let entry = self.directory.entry_of(person).await?;
        let sent = connections.iter().map(|connection| async {
            let caller = entry.as_ref().and_then(|entry| entry.effective(&connection.token).ok());
            match caller.filter(|_| now < connection.until) {
                Some(caller) => self.all_sent(connection, &caller, messages, now).await,
                None => self.end(connection).await.map(|()| 0),
            }
        });
        Ok(try_join_all(sent).await?.into_iter().sum())
    }

    async fn all_sent(
        &self,
        connection: &Connection,
        caller: &Caller,
        messages: &[Message<'_>],
        now: Timestamp,
    ) -> Result<u32, PushError> {
        let mut pushed = 0;
        for message in messages.iter().filter(|message| message.is_for(caller)) {
            pushed += u32::from(self.sent(connection, message.body(), now).await?);
        }
        Ok(pushed)
    }

    /// Sends a message. A connection that cannot be reached keeps nothing from the others: whoever misses a message finds it at the API.
    async fn sent(
        &self,
        connection: &Connection,
        message: &Value,
        now: Timestamp,
    ) -> Result<bool, PushError> {
        match self.connections.push(&connection.id, message).await {
            Ok(Pushed::Sent) => Ok(true),
            Ok(Pushed::Gone) => {
                if now.duration_since(connection.opened_at) > OPENING {
                    self.content.disconnect(&connection.id).await?;
                }
                Ok(false)
            }
            Err(error) => {
                tracing::warn!(%error, "a connection has missed a message");
                Ok(false)
            }
        }
    }

    async fn end(&self, connection: &Connection) -> Result<(), PushError> {
        if let Err(error) = self.connections.close(&connection.id).await {
            tracing::warn!(%error, "a connection whose token is void is still open; nothing is sent to it");
        }
        Ok(self.content.disconnect(&connection.id).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_identity::Scopes;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_153_k_31_a_text_is_for_whoever_may_read_now() {
        let body = json!({ "type": "draft.written" });
        let caller = |scopes: &[&str]| Caller {
            user: UserId::from_bytes([1; 16]),
            scopes: Scopes::parse(scopes.iter().copied()),
            capabilities: BTreeSet::default(),
            token_id: "t".to_owned(),
        };
        for (scopes, may_read) in
            [(&["global:reader"][..], true), (&["news:analyst"], true), (&[], false)]
        {
            let caller = caller(scopes);
            assert_eq!(Message::Content(&body).is_for(&caller), may_read, "{scopes:?}");
            assert!(Message::Ids(&body).is_for(&caller));
        }
    }
}
