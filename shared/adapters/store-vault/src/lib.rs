//! The table `Vault`: credentials of connectors, encrypted (F-009, K-37).
//!
//! | PK | SK | what |
//! |---|---|---|
//! | `OWNER#{owner}` | `CRED#{credential id}` | the connector it is for, names of its parts, the sealed parts |
//! | `HOOK#{trigger}` | `KEY#{key id}` | a key with which senders of a webhook sign, sealed |
//!
//! A credential is bound to its owner, its own id and its connector: an item copied to another place does not open.
//! Only [`CredentialSource`] and [`VaultStore::credential_in`] give secrets out; every other method knows names only.

mod hook_secrets;

use std::collections::BTreeMap;

use countersign_connector::{
    ConnectorId, Credential, CredentialId, CredentialSource, SourceError, SourceFuture,
};
use countersign_failure::Failure;
use countersign_identity::UserId;
use countersign_store_kit::{Item, Key, Lookup, Op, StoreError, Table, Write, decode};
use countersign_vault::{Bound, Sealed, Vault, VaultError};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What can go wrong with a stored credential.
#[derive(Debug, thiserror::Error, Failure)]
pub enum VaultStoreError {
    /// The table.
    #[error("the vault's table: {0}")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The encryption.
    #[error("{0}")]
    #[failure(forward)]
    Vault(#[from] VaultError),
    /// What opened is not a credential.
    #[error("a stored credential does not have the form of one")]
    #[failure(code = "VAULT_FORM", status = 500)]
    Form,
    /// More, or larger, parts than a credential has.
    #[error(
        "a credential has 1 to 8 parts with names of at most 64 and values of 1 to 8,192 characters"
    )]
    #[failure(code = "CREDENTIAL_SIZE", status = 422)]
    Size,
}

/// What may be shown of a credential: never its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialInfo {
    /// Its id.
    pub id: CredentialId,
    /// The connector it is for.
    pub connector_id: ConnectorId,
    /// The names of its parts.
    pub parts: Vec<String>,
    /// When it was entered.
    pub updated_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct CredentialItem {
    #[serde(flatten)]
    info: CredentialInfo,
    sealed: Sealed,
}

/// The table `Vault`.
#[derive(Debug, Clone)]
pub struct VaultStore {
    table: Table,
    vault: Vault,
}

impl VaultStore {
    /// The vault in this table, sealed by this vault.
    #[must_use]
    #[inline]
    pub fn new(table: Table, vault: Vault) -> Self {
        Self { table, vault }
    }

    /// Seals a credential: gives the write that stores it, for the transaction that binds it. One that is stored and bound nowhere
    /// would be in no list, and nobody could remove it.
    ///
    /// # Errors
    /// [`VaultStoreError::Size`], and [`VaultStoreError::Vault`] when the key service does not answer.
    pub fn sealed<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
        parts: &'a BTreeMap<String, String>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Op, VaultStoreError>> {
        Box::pin(async move {
            check_size(parts)?;
            let plain = serde_json::to_vec(parts).map_err(|_| VaultStoreError::Form)?;
            let sealed = self.vault.seal(&bound(owner, id, connector), &plain).await?;
            let info = CredentialInfo {
                id: id.clone(),
                connector_id: connector.clone(),
                parts: parts.keys().cloned().collect(),
                updated_at: now,
            };
            let item = CredentialItem { info, sealed };
            Ok(self.table.op(Write::put(&key(owner, id), &item)?))
        })
    }

    /// What may be shown of a credential.
    pub fn info(
        &self,
        owner: &UserId,
        id: &CredentialId,
    ) -> BoxFuture<'_, Result<Option<CredentialInfo>, VaultStoreError>> {
        self.table.read_as(key(owner, id), |item: CredentialItem| item.info)
    }

    /// The write that removes a credential, for the transaction that unbinds it; one that is not there counts as removed.
    #[must_use]
    pub fn removal(&self, owner: &UserId, id: &CredentialId) -> Op {
        self.table.op(Write::delete(&key(owner, id)))
    }

    /// Where a credential is, for a batch across tables.
    #[must_use]
    pub fn lookup(&self, owner: &UserId, id: &CredentialId) -> Lookup {
        self.table.lookup(key(owner, id))
    }

    /// The credential in an item that a batch has read, as [`CredentialSource::credential`] gives it out.
    pub fn credential_in<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
        item: Option<Item>,
    ) -> SourceFuture<'a, Option<Credential>> {
        Box::pin(async move {
            let opened = self.open_read(owner, id, connector, item).await;
            opened.map_err(|error| Box::new(error) as SourceError)
        })
    }

    async fn open(
        &self,
        owner: &UserId,
        id: &CredentialId,
        connector: &ConnectorId,
    ) -> Result<Option<Credential>, VaultStoreError> {
        let item = self.table.get_item(&key(owner, id)).await?;
        self.open_read(owner, id, connector, item).await
    }

    async fn open_read(
        &self,
        owner: &UserId,
        id: &CredentialId,
        connector: &ConnectorId,
        item: Option<Item>,
    ) -> Result<Option<Credential>, VaultStoreError> {
        let item =
            item.map(|item| decode::<CredentialItem>(self.table.name(), item)).transpose()?;
        let Some(item) = item.filter(|item| item.info.connector_id == *connector) else {
            return Ok(None);
        };
        let plain = self.vault.open(&bound(owner, id, connector), &item.sealed).await?;
        // The parser's message could quote the secret.
        let parts: BTreeMap<String, String> =
            serde_json::from_slice(&plain).map_err(|_| VaultStoreError::Form)?;
        Ok(Some(parts.into_iter().collect()))
    }
}

impl CredentialSource for VaultStore {
    fn credential<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<Credential>> {
        let opened = self.open(owner, id, connector);
        Box::pin(async move { opened.await.map_err(|error| Box::new(error) as SourceError) })
    }
}

fn key(owner: &UserId, id: &CredentialId) -> Key {
    Key::new(format!("OWNER#{owner}"), format!("CRED#{id}"))
}

fn bound(owner: &UserId, id: &CredentialId, connector: &ConnectorId) -> Bound {
    Bound {
        owner: owner.to_string(),
        record: id.to_string(),
        purpose: format!("connector/{connector}"),
    }
}

fn check_size(parts: &BTreeMap<String, String>) -> Result<(), VaultStoreError> {
    let fits = |(name, value): (&String, &String)| {
        (1..=64).contains(&name.chars().count()) && (1..=8_192).contains(&value.chars().count())
    };
    if (1..=8).contains(&parts.len()) && parts.iter().all(fits) {
        Ok(())
    } else {
        Err(VaultStoreError::Size)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{VaultStoreError, check_size};

    fn check(parts: &[(&str, &str)], fits: bool) {
        let parts: BTreeMap<String, String> =
            parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(check_size(&parts).is_ok(), fits, "{parts:?}");
    }

    #[test]
    fn f_009_a_credential_has_few_and_filled_parts() {
        check(&[("api_key", "k")], true);
        check(&[("username", "u"), ("password", "p")], true);
        check(&[], false);
        check(&[("api_key", "")], false);
        check(&[("", "k")], false);
        check(&[("api_key", &"k".repeat(8_193))], false);
        let many: Vec<_> =
            ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(|name| (name, "x")).to_vec();
        check(&many, false);
    }

    #[test]
    fn k_42_no_error_quotes_a_secret() {
        assert_eq!(
            VaultStoreError::Form.to_string(),
            "a stored credential does not have the form of one"
        );
    }
}
