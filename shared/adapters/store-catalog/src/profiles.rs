//! Profiles: who agents are.

use countersign_identity::UserId;
use countersign_profile::{Handle, Profile, ProfileId};
use countersign_store_kit::{Expr, Page, Query, StoreError, Write};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::CatalogError;
use crate::keys::Owner;
use crate::record::Record;
use crate::{Catalog, Result, keys, record};

/// Which records of a kind to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listing<'a> {
    /// Only those of one kind: `active` or `inactive`, a connector's type, a playbook's category.
    pub of: Option<&'a str>,
    /// At most so many.
    pub limit: i32,
    /// The store's own cursor.
    pub after: Option<&'a str>,
}

/// Who holds a handle.
#[derive(Serialize, Deserialize)]
struct Claim {
    profile_id: ProfileId,
}

/// The id of a profile the deployment ships: derived from its handle, so that it survives re-seeding.
#[must_use]
pub fn system_profile_id(handle: &Handle) -> ProfileId {
    let digest = Sha256::digest(format!("countersign/library/profile\0{handle}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    ProfileId::from_bytes(bytes)
}

impl Catalog {
    /// Stores a new profile and claims its handle. Storing the same id again answers as the first time.
    ///
    /// # Errors
    /// [`CatalogError::Taken`] when the owner has another profile of that handle.
    pub fn create_profile<'a>(&'a self, profile: &'a Profile) -> BoxFuture<'a, Result<Profile>> {
        Box::pin(async move {
            let doing = CatalogError::doing("store the profile");
            let owner = Owner::of(profile.user_id.as_ref());
            let claim = self.claim(owner, profile).map_err(doing)?;
            let put = self.put_profile(owner, profile)?.if_absent();
            match self.table.transact(vec![claim, put]).await {
                Ok(()) => Ok(profile.clone()),
                Err(StoreError::ConditionFailed { .. }) => {
                    match self.profile_of(owner, &profile.id).await? {
                        Some(known) => Ok(known),
                        None => Err(taken(&profile.spec.handle)),
                    }
                }
                Err(other) => Err(doing(other)),
            }
        })
    }

    /// Replaces a profile that has not changed since `before` was read.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when it has, [`CatalogError::Taken`] when its new handle belongs to another.
    pub fn replace_profile<'a>(
        &'a self,
        before: &'a Profile,
        after: &'a Profile,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("change the profile");
            let owner = Owner::of(before.user_id.as_ref());
            let unchanged =
                Expr::new("#version = :seen").bind("seen", &before.version).map_err(doing)?;
            let mut writes = vec![self.put_profile(owner, after)?.when(unchanged)];
            if before.spec.handle != after.spec.handle {
                writes.push(self.claim(owner, after).map_err(doing)?);
                writes.push(Write::delete(&keys::handle(owner, &before.spec.handle)));
            }
            match self.table.transact(writes).await {
                Ok(()) => Ok(()),
                Err(StoreError::ConditionFailed { index: 0, .. }) => {
                    Err(CatalogError::Changed("profile"))
                }
                Err(StoreError::ConditionFailed { .. }) => Err(taken(&after.spec.handle)),
                Err(other) => Err(doing(other)),
            }
        })
    }

    /// Removes a profile with everything of it in this table (F-178). Runs and their receipts stay.
    ///
    /// The profile goes last: if the process dies in between, removing it again finishes the work.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when the owner has no such profile.
    pub fn delete_profile<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ProfileId,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove the profile");
            let owner = Owner::User(owner);
            let profile =
                self.profile_of(owner, id).await?.ok_or(CatalogError::NotFound("profile"))?;
            self.delete_bindings(owner, id.as_str()).await?;
            let writes = vec![
                Write::delete(&keys::profile(owner, id)).when(Expr::exists()),
                Write::delete(&keys::handle(owner, &profile.spec.handle)),
            ];
            self.table.transact(writes).await.map_err(|error| {
                if error.is_condition() { CatalogError::NotFound("profile") } else { doing(error) }
            })
        })
    }

    /// The owner's profile of this id, or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn profile<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ProfileId,
    ) -> BoxFuture<'a, Result<Option<Profile>>> {
        Box::pin(async move {
            match self.profile_of(Owner::User(owner), id).await? {
                Some(own) => Ok(Some(own)),
                None => self.profile_of(Owner::System, id).await,
            }
        })
    }

    /// The owner's profile of this handle, or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn profile_by_handle<'a>(
        &'a self,
        owner: &'a UserId,
        handle: &'a Handle,
    ) -> BoxFuture<'a, Result<Option<Profile>>> {
        Box::pin(async move {
            match self.claimed(Owner::User(owner), handle).await? {
                Some(own) => Ok(Some(own)),
                None => self.claimed(Owner::System, handle).await,
            }
        })
    }

    /// The owner's profiles, newest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn profiles<'a>(
        &'a self,
        owner: &'a UserId,
        listing: Listing<'a>,
    ) -> BoxFuture<'a, Result<Page<Profile>>> {
        self.list(Owner::User(owner), "PROFILES", keys::PROFILE, listing, true)
    }

    /// The profiles the deployment ships.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn system_profiles<'a>(
        &'a self,
        listing: Listing<'a>,
    ) -> BoxFuture<'a, Result<Page<Profile>>> {
        self.list(Owner::System, "PROFILES", keys::PROFILE, listing, false)
    }

    /// Stores or replaces a profile of the library. Its id must be [`system_profile_id`] of its handle.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn put_system_profile<'a>(&'a self, profile: &'a Profile) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("store the library's profile");
            let claim = Claim { profile_id: profile.id.clone() };
            let claim = Write::put(&keys::handle(Owner::System, &profile.spec.handle), &claim)
                .map_err(doing)?;
            let put = self.put_profile(Owner::System, profile)?;
            self.table.transact(vec![claim, put]).await.map_err(doing)
        })
    }

    fn put_profile(&self, owner: Owner<'_>, profile: &Profile) -> Result<Write> {
        let key = keys::profile(owner, &profile.id);
        let put = Record::of("profile", profile, profile.version)?.put(&key);
        let property = if profile.is_active { "active" } else { "inactive" };
        let put = put.map_err(CatalogError::doing("store the profile"))?;
        Ok(put.indexed(&keys::listed(owner, "PROFILES", property), profile.id.as_str()))
    }

    fn claim(&self, owner: Owner<'_>, profile: &Profile) -> std::result::Result<Write, StoreError> {
        let claim = Claim { profile_id: profile.id.clone() };
        Ok(Write::put(&keys::handle(owner, &profile.spec.handle), &claim)?.if_absent())
    }

    async fn claimed(&self, owner: Owner<'_>, handle: &Handle) -> Result<Option<Profile>> {
        let key = keys::handle(owner, handle);
        let claim: Option<Claim> =
            self.table.get(&key).await.map_err(CatalogError::doing("look the handle up"))?;
        match claim {
            Some(claim) => self.profile_of(owner, &claim.profile_id).await,
            None => Ok(None),
        }
    }

    async fn profile_of(&self, owner: Owner<'_>, id: &ProfileId) -> Result<Option<Profile>> {
        let key = keys::profile(owner, id);
        record::get(&self.table, &key).await.map_err(CatalogError::doing("read the profile"))
    }

    /// A page of the records of one kind, all of them or those with one property.
    pub(crate) fn list<'a, T: serde::de::DeserializeOwned + Send + 'a>(
        &'a self,
        owner: Owner<'a>,
        kind: &'a str,
        prefix: &'a str,
        listing: Listing<'a>,
        newest_first: bool,
    ) -> BoxFuture<'a, Result<Page<T>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("list the records");
            let query = match listing.of {
                Some(property) => Query::index(&keys::listed(owner, kind, property)),
                None => Query::partition(&keys::partition(owner)).prefix(prefix).consistent(),
            };
            let query = if newest_first { query.descending() } else { query };
            let page = self
                .table
                .query(query.limit(listing.limit).after(listing.after))
                .await
                .map_err(doing)?;
            record::page(&self.table, page).map_err(doing)
        })
    }
}

fn taken(handle: &Handle) -> CatalogError {
    CatalogError::Taken { what: "handle", name: handle.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_shipped_profile_follows_from_its_handle() {
        let handle = |text| Handle::parse(text).unwrap();
        let id = system_profile_id(&handle("nonprofit-investigator"));
        assert_eq!(id, system_profile_id(&handle("nonprofit-investigator")));
        assert_ne!(id, system_profile_id(&handle("nonprofit-investigators")));
    }
}
