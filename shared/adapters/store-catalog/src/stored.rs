//! Documents that are stored as they are read: what their owner wrote, and what the catalog adds.

use std::fmt;

use countersign_identity::{Presented, Saved, Scopes, UserId};
use countersign_store_kit::Write;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::collection::StoredDocument;
use crate::last_runs;

/// What the owner of a document writes.
pub trait Spec: Clone + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The id of a document of this kind.
    type Id: Clone
        + fmt::Debug
        + fmt::Display
        + PartialEq
        + Serialize
        + DeserializeOwned
        + Send
        + Sync;

    /// See [`StoredDocument::KIND`].
    const KIND: &'static str;
    /// See [`StoredDocument::KEY`].
    const KEY: &'static str;

    /// See [`StoredDocument::property`].
    fn property(&self) -> String;

    /// See [`StoredDocument::written_with`].
    ///
    /// # Errors
    /// [`CatalogError`](crate::CatalogError) when a record cannot be written.
    fn written_with(
        _before: Option<&Stored<Self>>,
        _after: Option<&Stored<Self>>,
    ) -> Result<Vec<Write>> {
        Ok(Vec::new())
    }
}

/// A document as stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Stored<S: Spec> {
    /// The id.
    pub id: S::Id,
    /// The owner; none for what the deployment ships.
    pub user_id: Option<UserId>,
    /// Raised by every change.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// The scopes of whoever saved it last, at that moment: what runs for it may never do more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// The token of that moment: once it is revoked, nothing runs for the document any more. It is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Presented>,
    /// What its owner wrote.
    #[serde(flatten)]
    pub spec: S,
}

impl<S: Spec> Stored<S> {
    /// What it was saved with.
    #[must_use]
    pub fn saved(&self) -> Saved<'_> {
        Saved { scopes: self.scopes.as_ref(), token: self.token.as_ref() }
    }
}

impl<S: Spec> StoredDocument for Stored<S> {
    type Id = S::Id;

    const KIND: &'static str = S::KIND;
    const KEY: &'static str = S::KEY;
    const NEWEST_FIRST: bool = true;

    fn id(&self) -> &S::Id {
        &self.id
    }

    fn owner(&self) -> Option<&UserId> {
        self.user_id.as_ref()
    }

    fn version(&self) -> Option<u64> {
        Some(self.version)
    }

    fn property(&self) -> String {
        self.spec.property()
    }

    /// The id follows from the request.
    fn repeats(&self, _: &Self) -> bool {
        true
    }

    fn unique_name(&self) -> (&'static str, String) {
        ("id", self.id.to_string())
    }

    fn written_with(before: Option<&Self>, after: Option<&Self>) -> Result<Vec<Write>> {
        let mut writes = S::written_with(before, after)?;
        if let (Some(gone), None) = (before, after) {
            writes.extend(last_runs::forgotten(gone.user_id.as_ref(), &gone.id.to_string()));
        }
        Ok(writes)
    }
}
