//! The bodies of webhooks, in the data bucket: `hooks/{trigger}/{occurrence}/{digest of the body}`.
//!
//! Every copy of a message has an occurrence of its own, of which one is entered in the ledger: what is kept or removed for one of
//! them is never another one's. Earlier releases kept one body for all of them, under the digest of the message in place of the
//! occurrence.

use countersign_run::{Occurrence, TriggeredBy};
use countersign_store_kit::{Blobs, StoreError};
use sha2::{Digest as _, Sha256};

use crate::Answer;
use crate::error::CatalogError;

/// The bodies of webhooks.
#[derive(Debug, Clone)]
pub struct HookBodies {
    blobs: Blobs,
}

impl HookBodies {
    /// The bodies in this bucket.
    #[must_use]
    pub fn new(blobs: Blobs) -> Self {
        Self { blobs }
    }

    /// Keeps the body of the message that fires an occurrence.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer.
    pub fn keep<'a>(&'a self, of: &'a Occurrence, body: Vec<u8>) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("keep the body of a webhook");
            let Some(Keys { own, .. }) = keys(of) else { return Ok(()) };
            self.blobs.put(&own, body, "application/json").await.map_err(doing)
        })
    }

    /// Removes the body of an occurrence that needs none: no run comes of it. What is gone already is as good.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer.
    pub fn remove<'a>(&'a self, of: &'a Occurrence) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove the body of a webhook");
            let Some(Keys { own, earlier }) = keys(of) else { return Ok(()) };
            self.blobs.remove(&own).await.map_err(doing)?;
            self.blobs.remove(&earlier).await.map_err(doing)
        })
    }

    /// Removes the body of a copy of a message whose occurrence is not entered: another copy was faster.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer.
    pub fn remove_copy<'a>(&'a self, of: &'a Occurrence) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove a copy of the body of a webhook");
            let Some(Keys { own, .. }) = keys(of) else { return Ok(()) };
            self.blobs.remove(&own).await.map_err(doing)
        })
    }

    /// The body of the message that fired an occurrence; none when something else has fired it, or no run came of it.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer, or has another body than was signed.
    pub fn of<'a>(&'a self, occurrence: &'a Occurrence) -> Answer<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("read the body of a webhook");
            let Some(TriggeredBy::Webhook { sha256, .. }) = &occurrence.fired_by else {
                return Ok(None);
            };
            if occurrence.came_to_nothing() {
                return Ok(None);
            }
            let Some(keys) = keys(occurrence) else { return Ok(None) };
            let body = self.kept(&keys).await.map_err(doing)?;
            if digest(&body) != *sha256 {
                return Err(doing(StoreError::Tampered(keys.own)));
            }
            Ok(Some(body))
        })
    }

    /// What is under one of the keys. A bucket that may not be listed does not say that it has nothing under the first one, only
    /// that it refuses to read it.
    async fn kept(&self, keys: &Keys) -> Result<Vec<u8>, StoreError> {
        match self.blobs.get(&keys.own).await {
            Err(StoreError::Refused { .. }) => self.blobs.get(&keys.earlier).await,
            read => read,
        }
    }
}

/// Where the body of an occurrence may be.
#[derive(Debug, PartialEq, Eq)]
struct Keys {
    own: String,
    /// Where earlier releases kept it.
    earlier: String,
}

fn keys(of: &Occurrence) -> Option<Keys> {
    let fired @ TriggeredBy::Webhook { sha256, .. } = of.fired_by.as_ref()? else { return None };
    let (trigger, message) = (&of.source_id, digest(fired.event().as_bytes()));
    Some(Keys {
        own: format!("hooks/{trigger}/{}/{sha256}", of.id),
        earlier: format!("hooks/{trigger}/{message}/{sha256}"),
    })
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use countersign_run::{OccurrenceId, OccurrenceSource};
    use jiff::Timestamp;

    use super::*;

    /// Where the body of a message is kept that comes at this time.
    fn at(time: &str, sha256: &str) -> Keys {
        let (at, sent_at): (Timestamp, _) = (time.parse().unwrap(), Timestamp::UNIX_EPOCH);
        let (message_id, sha256) = ("m".to_owned(), sha256.to_owned());
        let fired = TriggeredBy::Webhook { message_id, sent_at, bytes: 2, sha256, key: None };
        let source = format!("trig_{}", "0".repeat(32));
        let id = OccurrenceId::of_event(&source, at, &fired.event());
        let source = (OccurrenceSource::Trigger, source.as_str());
        let of = Occurrence::noticed(id, UserId::from_bytes([1; 16]), source, (at, at));
        keys(&Occurrence { fired_by: Some(fired), ..of }).unwrap()
    }

    #[test]
    fn copies_of_a_message_share_no_body() {
        let first = at("2026-11-24T06:00:00.000001Z", "aa");
        let copy = at("2026-11-24T06:00:00.000002Z", "aa");
        assert_ne!(first.own, copy.own);
        assert_eq!(first.earlier, copy.earlier, "as earlier releases had it");
        assert_eq!(first, at("2026-11-24T06:00:00.000001Z", "aa"));
        assert_ne!(first.own, at("2026-11-24T06:00:00.000001Z", "bb").own);
    }
}
