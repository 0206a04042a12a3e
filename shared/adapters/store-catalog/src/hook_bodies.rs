//! The bodies of webhooks, in the data bucket: `hooks/{trigger}/{digest of the message}/{digest of the body}`.

use countersign_run::{Occurrence, TriggeredBy};
use countersign_store_kit::{Blobs, StoreError};
use countersign_trigger::TriggerId;
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

    /// Keeps the body of a message that has fired a trigger.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer.
    pub fn keep<'a>(
        &'a self,
        trigger: &'a TriggerId,
        fired: &'a TriggeredBy,
        body: Vec<u8>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("keep the body of a webhook");
            let Some(key) = key(trigger.as_str(), fired) else { return Ok(()) };
            self.blobs.put(&key, body, "application/json").await.map_err(doing)
        })
    }

    /// Removes the body of a message that needs none: no run comes of it. What is gone already is as good.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer.
    pub fn remove<'a>(&'a self, trigger: &'a str, fired: &'a TriggeredBy) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove the body of a webhook");
            let Some(key) = key(trigger, fired) else { return Ok(()) };
            self.blobs.remove(&key).await.map_err(doing)
        })
    }

    /// The body of the message that fired an occurrence; none when something else has fired it, or no run came of it.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer, or has another body than was signed.
    pub fn of<'a>(&'a self, occurrence: &'a Occurrence) -> Answer<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("read the body of a webhook");
            let Some(fired @ TriggeredBy::Webhook { sha256, .. }) = &occurrence.fired_by else {
                return Ok(None);
            };
            if occurrence.came_to_nothing() {
                return Ok(None);
            }
            let Some(key) = key(&occurrence.source_id, fired) else { return Ok(None) };
            let body = self.blobs.get(&key).await.map_err(doing)?;
            if digest(&body) != *sha256 {
                return Err(doing(StoreError::Tampered(key)));
            }
            Ok(Some(body))
        })
    }
}

fn key(trigger: &str, fired: &TriggeredBy) -> Option<String> {
    let TriggeredBy::Webhook { sha256, .. } = fired else { return None };
    let message = digest(fired.event().as_bytes());
    Some(format!("hooks/{trigger}/{message}/{sha256}"))
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
