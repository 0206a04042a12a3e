//! Keys of webhooks: bound to owner, trigger and key id.

use countersign_identity::UserId;
use countersign_store_kit::{Key, Write};
use countersign_trigger::hook::Secret;
use countersign_trigger::{HookKeyId, TriggerId};
use countersign_vault::{Bound, Sealed};
use futures::future::{BoxFuture, try_join_all};
use serde::{Deserialize, Serialize};

use crate::{VaultStore, VaultStoreError};

#[derive(Serialize, Deserialize)]
struct HookItem {
    sealed: Sealed,
}

impl VaultStore {
    /// Stores the key of a sender.
    ///
    /// # Errors
    /// [`VaultStoreError`] when the table or the key service does not answer.
    pub async fn put_hook_secret(
        &self,
        owner: &UserId,
        trigger: &TriggerId,
        id: &HookKeyId,
        secret: &Secret,
    ) -> Result<(), VaultStoreError> {
        let bound = bound(owner, trigger, id);
        let sealed = self.vault.seal(&bound, secret.reveal().as_bytes()).await?;
        let item = HookItem { sealed };
        Ok(self.table.write(Write::put(&key(trigger, id), &item)?).await?)
    }

    /// Removes the key of a sender; one that is not there counts as removed.
    ///
    /// # Errors
    /// [`VaultStoreError::Store`] when the table does not answer.
    pub fn delete_hook_secret(
        &self,
        trigger: &TriggerId,
        id: &HookKeyId,
    ) -> BoxFuture<'_, Result<(), VaultStoreError>> {
        self.table.remove(key(trigger, id))
    }

    /// The keys of these ids; one that is not there is left out.
    ///
    /// # Errors
    /// [`VaultStoreError`] when the table or the key service does not answer, or a key was altered.
    pub fn hook_secrets<'a>(
        &'a self,
        owner: &'a UserId,
        trigger: &'a TriggerId,
        ids: &'a [HookKeyId],
    ) -> BoxFuture<'a, Result<Vec<(HookKeyId, Secret)>, VaultStoreError>> {
        Box::pin(async move {
            let all = ids.iter().map(|id| self.hook_secret(owner, trigger, id));
            let found = try_join_all(all).await?;
            let known = ids.iter().zip(found);
            Ok(known.filter_map(|(id, secret)| Some((id.clone(), secret?))).collect())
        })
    }

    async fn hook_secret(
        &self,
        owner: &UserId,
        trigger: &TriggerId,
        id: &HookKeyId,
    ) -> Result<Option<Secret>, VaultStoreError> {
        let item: Option<HookItem> = self.table.get(&key(trigger, id)).await?;
        let Some(HookItem { sealed }) = item else { return Ok(None) };
        let plain = self.vault.open(&bound(owner, trigger, id), &sealed).await?;
        let text = std::str::from_utf8(&plain).map_err(|_| VaultStoreError::Form)?;
        Secret::parse(text).map(Some).ok_or(VaultStoreError::Form)
    }
}

fn key(trigger: &TriggerId, id: &HookKeyId) -> Key {
    Key::new(format!("HOOK#{trigger}"), format!("KEY#{id}"))
}

fn bound(owner: &UserId, trigger: &TriggerId, id: &HookKeyId) -> Bound {
    Bound { owner: owner.to_string(), record: id.to_string(), purpose: format!("hook/{trigger}") }
}
