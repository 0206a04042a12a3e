//! Documents that an administrator writes for the whole deployment: the floor policy that no other approval policy may undercut, and
//! the list of models.

use std::collections::HashMap;

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Item, Lookup, Query, Write, decode};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::asked::Encoded;
use crate::{Answer, Directory, DirectoryError, Result, keys};

/// Which document of the deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The floor of all approval policies.
    ApprovalFloor,
    /// The models that agents may choose, with prices and budgets.
    ModelList,
}

impl Setting {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::ApprovalFloor, Self::ModelList];

    /// Its name in keys.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::ApprovalFloor => "FLOOR",
            Self::ModelList => "MODELLIST",
        }
    }
}

/// A document of the deployment as it stands. Its content is its domain's; the directory keeps it as text, in key order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSetting {
    /// The document as JSON text.
    pub json: String,
    /// Counts the changes, from 1.
    pub version: u64,
    /// Who changed it last.
    pub updated_by: UserId,
    /// When.
    pub updated_at: Timestamp,
}

impl Directory {
    /// Reads a document of the deployment; none means that it was never written.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn setting(&self, of: Setting) -> Answer<'_, Option<StoredSetting>> {
        self.one(keys::setting(of), "read a document of the deployment")
    }

    /// The read of such a document, for a batch across tables.
    #[must_use]
    pub fn setting_lookup(&self, of: Setting) -> Lookup {
        self.table.lookup(keys::setting(of))
    }

    /// What such a batch found; none where the document was never written.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the item has another shape.
    pub fn setting_found(
        &self,
        of: Setting,
        read: &HashMap<Lookup, Item>,
    ) -> Result<Option<StoredSetting>> {
        let item = read.get(&self.setting_lookup(of)).cloned();
        let setting = item.map(|item| decode(self.table.name(), item)).transpose();
        setting.map_err(DirectoryError::doing("read a document of the deployment"))
    }

    /// Every version there was, the newest first: who wrote what, and when.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn settings(&self, of: Setting, limit: i32) -> Answer<'_, Vec<StoredSetting>> {
        let query = Query::partition(&keys::settings(of)).descending().limit(limit);
        let page = self.page(query, "list a document of the deployment");
        Box::pin(page.map_ok(|page| page.items))
    }

    /// Replaces a document if it still has the version the writer saw (0: there was none).
    ///
    /// # Errors
    /// [`DirectoryError::Changed`] when somebody else replaced it in between.
    pub fn set_setting<'a>(
        &'a self,
        of: Setting,
        document: &'a Value,
        seen: u64,
        by: &'a UserId,
        now: Timestamp,
    ) -> Answer<'a, StoredSetting> {
        Box::pin(async move {
            let stored = StoredSetting {
                json: document.to_string(),
                version: seen + 1,
                updated_by: by.clone(),
                updated_at: now,
            };
            let writes = setting_writes(of, &stored, seen);
            let doing = "write a document of the deployment";
            let is_unchanged = self.try_transact(writes, doing).await?;
            is_unchanged.then_some(stored).ok_or(DirectoryError::Changed)
        })
    }
}

/// The document where it is read, if it is still the version that was seen, and the same for good among its versions.
fn setting_writes(of: Setting, stored: &StoredSetting, seen: u64) -> Encoded<Vec<Write>> {
    let current = Write::put(&keys::setting(of), stored)?.when(Expr::version(seen)?);
    let kept = Write::put(&keys::setting_version(of, stored.version), stored)?.if_absent();
    Ok(vec![current, kept])
}
