//! Open connections of people, to which what happens is pushed, and the tickets that open them (A-155, K-31).
//!
//! A ticket stands for a token that was checked a moment ago, once and for a minute, so that no token is in the address of a
//! connection. A connection belongs to the person of the token, whatever else its address says.

use countersign_identity::{Presented, UserId};
use countersign_store_kit::{Expr, Query, Write};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Answer, ContentStore, Result, keys};

/// A ticket opens a connection within this time.
pub const TICKET_FOR: SignedDuration = SignedDuration::from_secs(60);

/// A connection lives at most so long: the gateway ends it then.
pub const OPEN_FOR: SignedDuration = SignedDuration::from_hours(2);

/// So many connections has a person at most; the oldest makes room.
pub const MAX_CONNECTIONS: usize = 10;

/// So many are read: more than there can be, as several may open at once.
const MOST: usize = 100;

/// What a ticket stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The token it was asked for with.
    pub token: Presented,
    /// When it opens nothing any more.
    pub until: Timestamp,
}

/// An open connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// The gateway's id.
    pub id: String,
    /// The token it was opened with; whose connection it is.
    pub token: Presented,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it is over at the latest: the token expires, or the gateway ends it.
    pub until: Timestamp,
}

/// What a ticket is stored under: SHA-256, as hex digits.
fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret))
}

/// Whose a connection is.
#[derive(Serialize, Deserialize)]
struct OfPerson {
    user: UserId,
}

impl ContentStore {
    /// Writes a ticket; `secret` is what opens the connection, and only its digest is stored.
    ///
    /// # Errors
    /// [`ContentError`](crate::ContentError) when the table does not answer.
    pub async fn issue_ticket(&self, secret: &str, ticket: &Ticket) -> Result<()> {
        let put = Write::put(&keys::ticket(&digest(secret)), ticket)?;
        Ok(self.table.write(put.expires_at(ticket.until.as_second())).await?)
    }

    /// Takes a ticket away and answers with what it stands for; none when there is none, it is too old, or somebody else was faster.
    ///
    /// # Errors
    /// [`ContentError`](crate::ContentError) when the table does not answer.
    pub fn take_ticket<'a>(
        &'a self,
        secret: &'a str,
        now: Timestamp,
    ) -> Answer<'a, Option<Ticket>> {
        let key = keys::ticket(&digest(secret));
        Box::pin(async move {
            let Some(ticket) = self.table.get::<Ticket>(&key).await? else { return Ok(None) };
            let taken = self.table.try_write(Write::delete(&key).when(Expr::exists())).await?;
            Ok(Some(ticket).filter(|ticket| taken && now <= ticket.until))
        })
    }

    /// Writes a connection and answers with those that have to make room for it, which are taken away.
    ///
    /// # Errors
    /// [`ContentError`](crate::ContentError) when the table does not answer.
    pub fn connect<'a>(&'a self, connection: &'a Connection) -> Answer<'a, Vec<Connection>> {
        Box::pin(async move {
            let (user, until) = (&connection.token.user, connection.until.as_second());
            let own = Write::put(&keys::connection(user, &connection.id), connection)?;
            let whose = OfPerson { user: user.clone() };
            let whose = Write::put(&keys::person_of(&connection.id), &whose)?;
            let writes = vec![own.expires_at(until), whose.expires_at(until)];
            self.table.transact(writes).await?;
            let mut all = self.connections(user).await?;
            all.sort_by_key(|one| one.opened_at);
            let over = all.len().saturating_sub(MAX_CONNECTIONS);
            let old: Vec<Connection> =
                all.into_iter().filter(|one| one.id != connection.id).take(over).collect();
            for one in &old {
                self.disconnect(&one.id).await?;
            }
            Ok(old)
        })
    }

    /// The connections of a person, among them some that may be over.
    ///
    /// # Errors
    /// [`ContentError`](crate::ContentError) when the table does not answer.
    pub fn connections<'a>(&'a self, user: &'a UserId) -> Answer<'a, Vec<Connection>> {
        Box::pin(async move {
            let query = Query::partition(&keys::connections(user)).consistent();
            Ok(self.table.query_all(query, MOST).await?)
        })
    }

    /// Takes a connection away. Doing it again changes nothing.
    ///
    /// # Errors
    /// [`ContentError`](crate::ContentError) when the table does not answer.
    pub fn disconnect<'a>(&'a self, id: &'a str) -> Answer<'a, ()> {
        let key = keys::person_of(id);
        Box::pin(async move {
            let Some(OfPerson { user }) = self.table.get(&key).await? else { return Ok(()) };
            let both = [keys::connection(&user, id), key].map(|key| Write::delete(&key));
            Ok(self.table.transact(Vec::from(both)).await?)
        })
    }
}
