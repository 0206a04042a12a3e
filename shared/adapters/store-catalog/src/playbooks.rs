//! Playbooks: what agents do.

use countersign_identity::UserId;
use countersign_playbook::ValidPlaybook;
use countersign_store_kit::{Expr, Page, Write};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::keys::Owner;
use crate::profiles::Listing;
use crate::record::Record;
use crate::{Catalog, Result, keys, record};

/// The longest id the compiler takes.
const LONGEST_ID: usize = 100;

/// A playbook as stored: its text and what the compiler made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPlaybook {
    /// The owner; none for what the deployment ships (F-006).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserId>,
    /// The YAML, as written.
    pub yaml: String,
    /// What it compiles to. Runs are planned from this.
    pub playbook: ValidPlaybook,
    /// Raised by every change.
    pub revision: u64,
    /// When it was stored first.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// Who changed it last: an editor does not decide what they edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<UserId>,
}

impl Catalog {
    /// Stores a new playbook of its owner.
    ///
    /// # Errors
    /// [`CatalogError::Taken`] when the owner has one of that id with another text.
    pub fn create_playbook<'a>(
        &'a self,
        playbook: &'a StoredPlaybook,
    ) -> BoxFuture<'a, Result<StoredPlaybook>> {
        Box::pin(async move {
            let doing = CatalogError::doing("store the playbook");
            match self.table.write(put(playbook)?.if_absent()).await {
                Ok(()) => Ok(playbook.clone()),
                Err(error) if error.is_condition() => {
                    let owner = Owner::of(playbook.owner.as_ref());
                    match self.playbook_of(owner, &playbook.playbook.id).await? {
                        Some(known) if known.yaml == playbook.yaml => Ok(known),
                        _ => Err(CatalogError::Taken {
                            what: "playbook id",
                            name: playbook.playbook.id.clone(),
                        }),
                    }
                }
                Err(error) => Err(doing(error)),
            }
        })
    }

    /// Replaces a playbook that still has the revision the writer saw: `playbook.revision - 1`.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when it has another, or is gone.
    pub fn replace_playbook<'a>(
        &'a self,
        playbook: &'a StoredPlaybook,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("change the playbook");
            let seen = playbook.revision.saturating_sub(1);
            let unchanged = Expr::new("#version = :seen").bind("seen", &seen).map_err(doing)?;
            self.table.write(put(playbook)?.when(unchanged)).await.map_err(|error| {
                if error.is_condition() { CatalogError::Changed("playbook") } else { doing(error) }
            })
        })
    }

    /// Stores or replaces a playbook of the library.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn put_system_playbook<'a>(
        &'a self,
        playbook: &'a StoredPlaybook,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let write = put(&StoredPlaybook { owner: None, ..playbook.clone() })?;
            self.table
                .write(write)
                .await
                .map_err(CatalogError::doing("store the library's playbook"))
        })
    }

    /// Removes a playbook of its owner. Runs keep the plan they were started with.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when the owner has none of that id.
    pub fn delete_playbook<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove the playbook");
            let write = Write::delete(&keys::playbook(Owner::User(owner), id)).when(Expr::exists());
            self.table.write(write).await.map_err(|error| {
                if error.is_condition() { CatalogError::NotFound("playbook") } else { doing(error) }
            })
        })
    }

    /// The owner's playbook of this id, or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn playbook<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredPlaybook>>> {
        Box::pin(async move {
            match self.playbook_of(Owner::User(owner), id).await? {
                Some(own) => Ok(Some(own)),
                None => self.playbook_of(Owner::System, id).await,
            }
        })
    }

    /// The owner's playbooks, by id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn playbooks<'a>(
        &'a self,
        owner: &'a UserId,
        listing: Listing<'a>,
    ) -> BoxFuture<'a, Result<Page<StoredPlaybook>>> {
        self.list(Owner::User(owner), "PLAYBOOKS", keys::PLAYBOOK, listing, false)
    }

    /// The playbooks the deployment ships, by id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn system_playbooks<'a>(
        &'a self,
        listing: Listing<'a>,
    ) -> BoxFuture<'a, Result<Page<StoredPlaybook>>> {
        self.list(Owner::System, "PLAYBOOKS", keys::PLAYBOOK, listing, false)
    }

    async fn playbook_of(&self, owner: Owner<'_>, id: &str) -> Result<Option<StoredPlaybook>> {
        // No playbook has a longer id, and the table refuses keys that are longer than it takes.
        if id.len() > LONGEST_ID {
            return Ok(None);
        }
        let key = keys::playbook(owner, id);
        record::get(&self.table, &key).await.map_err(CatalogError::doing("read the playbook"))
    }
}

fn put(playbook: &StoredPlaybook) -> Result<Write> {
    let doing = CatalogError::doing("store the playbook");
    let owner = Owner::of(playbook.owner.as_ref());
    let id = &playbook.playbook.id;
    let put = Record::of("playbook", playbook, playbook.revision)?
        .put(&keys::playbook(owner, id))
        .map_err(doing)?;
    let category = serde_json::to_value(playbook.playbook.category).ok();
    let category = category.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    Ok(put.indexed(&keys::listed(owner, "PLAYBOOKS", category), id))
}
