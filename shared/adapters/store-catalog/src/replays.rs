//! Requests under an `Idempotency-Key`.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, StoreError, Write, decode};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::{Answer, Catalog, keys};

/// A key is remembered for this many seconds.
const REMEMBERED: i64 = 24 * 3600;
/// A request that has not come to an end after this many seconds has died; the next one may do it.
const DIES_AFTER: i64 = 60;

/// The answer of a finished request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The HTTP status.
    pub status: u16,
    /// Where the created thing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The body, JSON text.
    pub body: String,
}

/// What is known of a request when it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// Nothing, or it died: do it.
    Fresh,
    /// It was done.
    Done(Answered),
    /// The key was used with another body.
    OtherBody,
    /// It is being done.
    Open,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    digest: String,
    begun_at: i64,
    /// TTL is collected late; what is past it counts as gone.
    forget_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered: Option<Answered>,
}

impl Catalog {
    /// Notes that a request begins; of several at once exactly one hears [`Replay::Fresh`].
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn begin_request<'a>(
        &'a self,
        owner: &'a UserId,
        name: &'a str,
        digest: &'a str,
        now: Timestamp,
    ) -> Answer<'a, Replay> {
        Box::pin(async move {
            let doing = CatalogError::doing("note the request");
            let key = keys::replay(owner, name);
            let seconds = now.as_second();
            let note = Note {
                digest: digest.to_owned(),
                begun_at: seconds,
                forget_at: seconds + REMEMBERED,
                answered: None,
            };
            let free = "attribute_not_exists(#PK) OR #forget_at <= :now \
                        OR (attribute_not_exists(#answered) AND #begun_at <= :dead AND #digest = :digest)";
            let free = Expr::new(free)
                .bind("now", &seconds)
                .and_then(|free| free.bind("dead", &(seconds - DIES_AFTER)));
            let free = free.and_then(|free| free.bind("digest", &digest)).map_err(doing)?;
            let write =
                Write::put(&key, &note).map_err(doing)?.when(free).expires_at(note.forget_at);
            match self.table.write(write).await {
                Ok(()) => Ok(Replay::Fresh),
                Err(StoreError::ConditionFailed { item: Some(item), .. }) => {
                    Ok(known(decode(self.table.name(), *item).map_err(doing)?, digest))
                }
                Err(StoreError::ConditionFailed { .. }) => {
                    let note: Option<Note> = self.table.get(&key).await.map_err(doing)?;
                    Ok(note.map_or(Replay::Open, |note| known(note, digest)))
                }
                Err(other) => Err(doing(other)),
            }
        })
    }

    /// Notes the answer.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn finish_request(
        &self,
        owner: &UserId,
        name: &str,
        answered: &Answered,
    ) -> Answer<'_, ()> {
        let write = Write::update(&keys::replay(owner, name)).when(Expr::exists());
        let write = write.set("answered", answered);
        Box::pin(async move {
            let doing = CatalogError::doing("note the answer");
            self.table.write(write.map_err(doing)?).await.map_err(doing)
        })
    }

    /// Forgets a request that came to nothing.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn forget_request(&self, owner: &UserId, name: &str) -> Answer<'_, ()> {
        let unanswered = Expr::new("attribute_not_exists(#answered)");
        let forgotten =
            self.table.try_write(Write::delete(&keys::replay(owner, name)).when(unanswered));
        Box::pin(forgotten.map_ok(drop).map_err(CatalogError::doing("forget the request")))
    }
}

fn known(note: Note, digest: &str) -> Replay {
    match note.answered {
        _ if note.digest != digest => Replay::OtherBody,
        Some(answered) => Replay::Done(answered),
        None => Replay::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answered: bool, digest: &str, expect: &Replay) {
        let answer = Answered { status: 201, location: None, body: "{}".to_owned() };
        let note = Note {
            digest: "a".to_owned(),
            begun_at: 0,
            forget_at: 1,
            answered: answered.then_some(answer),
        };
        assert_eq!(known(note, digest), *expect);
    }

    #[test]
    fn the_body_is_compared_before_anything_is_given_back() {
        let done = Replay::Done(Answered { status: 201, location: None, body: "{}".to_owned() });
        check(true, "a", &done);
        check(true, "b", &Replay::OtherBody);
        check(false, "a", &Replay::Open);
        check(false, "b", &Replay::OtherBody);
    }
}
