//! Sessions at a user pool, as far as the deployment has seen tokens of them.
//!
//! They lie beside the person's partition, not in it: what decides what a person may do is read whole, for every request.

use std::cmp::Reverse;

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Query, Write};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::asked::Encoded;
use crate::{Answer, Directory, DirectoryError, keys};

/// For how long a session is known after the latest of its tokens has ended, in seconds.
const KNOWN_FOR: i64 = 30 * 86_400;

/// So many records of a person's sessions are read at most.
const MAX_SESSIONS: usize = 1_000;

/// A session of which a token was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenSession {
    /// The pool's id of it (`origin_jti`).
    pub id: String,
    /// When the person signed in.
    pub started_at: Timestamp,
    /// Until when the latest token of it is valid that was seen, epoch seconds.
    pub valid_until: i64,
}

impl Directory {
    /// Takes note of a session. An older token of it than the one that was seen last changes nothing.
    ///
    /// # Errors
    /// [`DirectoryError::Store`](crate::DirectoryError::Store) when the table does not answer.
    pub fn note_session(&self, user: &UserId, seen: &SeenSession) -> Answer<'_, ()> {
        Box::pin(self.try_write(noted(user, seen), "note a session").map_ok(drop))
    }

    /// The sessions of a person, those that began last first: of the last 1,000 records.
    ///
    /// # Errors
    /// [`DirectoryError::Store`](crate::DirectoryError::Store) when the table does not answer.
    pub fn sessions(&self, user: &UserId) -> Answer<'_, Vec<SeenSession>> {
        let query = Query::partition(&keys::sessions(user)).descending().consistent();
        Box::pin(async move {
            let all = self.table.query_all(query, MAX_SESSIONS).await;
            all.map(once).map_err(DirectoryError::doing("list the sessions"))
        })
    }
}

fn noted(user: &UserId, seen: &SeenSession) -> Encoded<Write> {
    let is_newer = Expr::new("attribute_not_exists(#PK) OR #valid_until < :until");
    let is_newer = is_newer.bind("until", &seen.valid_until)?;
    let put = Write::put(&keys::session(user, seen), seen)?;
    Ok(put.expires_at(seen.valid_until.saturating_add(KNOWN_FOR)).when(is_newer))
}

/// Each session once, as it began first: some pools write another time of sign-in into each later token.
fn once(seen: Vec<SeenSession>) -> Vec<SeenSession> {
    let mut all: Vec<SeenSession> = Vec::new();
    for one in seen {
        match all.iter_mut().find(|known| known.id == one.id) {
            Some(known) => {
                known.started_at = known.started_at.min(one.started_at);
                known.valid_until = known.valid_until.max(one.valid_until);
            }
            None => all.push(one),
        }
    }
    all.sort_by_key(|one| Reverse(one.started_at));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(id: &str, started_at: i64, valid_until: i64) -> SeenSession {
        let started_at = Timestamp::from_second(started_at).unwrap();
        SeenSession { id: id.to_owned(), started_at, valid_until }
    }

    #[test]
    fn r_104_a_session_is_listed_once_as_it_began() {
        let all = vec![seen("a", 300, 400), seen("b", 200, 290), seen("a", 100, 190)];
        assert_eq!(once(all), [seen("b", 200, 290), seen("a", 100, 400)]);
    }

    #[test]
    fn r_104_the_sessions_of_a_person_lie_beside_what_decides_what_they_may_do() {
        let user = UserId::from_bytes([1; 16]);
        assert_ne!(keys::sessions(&user), keys::partition(&user));
        assert!(noted(&user, &seen("a", 100, i64::MAX)).is_ok());
    }
}
