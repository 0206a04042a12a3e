//! Documents that were removed: they are in no list, and can be restored for a time.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Page, StoreError, Window, Write};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::documents::{Document, DocumentItem};
use crate::file_changes::put;
use crate::ids::DocumentId;
use crate::keys;
use crate::{Answer, ContentError, ContentStore};

/// For how many days a removed document can be restored.
pub const RESTORABLE_DAYS: u32 = 30;

/// A removed document, without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedDocument {
    /// The document as it was.
    #[serde(flatten)]
    pub document: Document,
    /// The run that removed it.
    pub removed_by: String,
    /// When.
    pub removed_at: Timestamp,
    /// Until when it can be restored.
    pub restorable_until: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct RemovedItem {
    #[serde(flatten)]
    item: DocumentItem,
    removed_by: String,
    removed_at: Timestamp,
    restorable_until: Timestamp,
}

/// The record of a removed document, which goes by itself when its time is over.
pub(crate) fn removal(item: DocumentItem, run: &str, now: Timestamp) -> Result<Write, StoreError> {
    let days = SignedDuration::from_hours(24 * i64::from(RESTORABLE_DAYS));
    let restorable_until = now.checked_add(days).unwrap_or(Timestamp::MAX);
    let key = keys::removed(&item.document.owner, &item.document.id);
    let removed =
        RemovedItem { item, removed_by: run.to_owned(), removed_at: now, restorable_until };
    Ok(Write::put(&key, &removed)?.expires_at(restorable_until.as_second()))
}

impl ContentStore {
    /// The removed documents of an owner, by id. Some may be past their time.
    pub fn removed_documents(
        &self,
        owner: &UserId,
        window: Window,
    ) -> Answer<'_, Page<RemovedDocument>> {
        self.under(owner, keys::REMOVED, window)
    }

    /// Brings a removed document back as it was; none when there is none, or its time is over. Doing it again gives the
    /// document as it is.
    ///
    /// # Errors
    /// [`ContentError::PathTaken`](crate::ContentError::PathTaken) when another one is where it was, and
    /// [`ContentError::Store`](crate::ContentError::Store).
    pub async fn restore_document(
        &self,
        owner: &UserId,
        id: &DocumentId,
        now: Timestamp,
    ) -> Result<Option<Document>, ContentError> {
        let key = keys::removed(owner, id);
        let removed: Option<RemovedItem> = self.table.get(&key).await?;
        let Some(removed) = removed.filter(|one| one.restorable_until > now) else {
            return self.document(owner, id).await;
        };
        let mut item = removed.item;
        let path = item.document.path();
        let take = self.take_path(owner, &path, id).await?;
        let before = item.version;
        item.document.updated_at = Some(now);
        item.version += 1;
        // Restored and removed again meanwhile, it is another text: that one must not go.
        let same = Expr::new("#version = :before").bind("before", &before)?;
        let gone = Write::delete(&key).when(same);
        let is_back = self.table.try_transact(vec![gone, put(&item)?.if_absent(), take]).await?;
        let found = self.document(owner, id).await?;
        if !is_back && found.is_none() {
            // Somebody may have taken its path a moment ago.
            self.path_is_free(owner, &path, id).await?;
        }
        Ok(found)
    }
}
