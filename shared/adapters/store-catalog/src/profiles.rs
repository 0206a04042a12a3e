//! Profiles: who agents are.

use countersign_identity::UserId;
use countersign_ids::derived;
use countersign_profile::{Handle, Profile, ProfileId};
use countersign_store_kit::{Expr, Op, StoreError, Write};
use serde::{Deserialize, Serialize};

use crate::collection::{Collection, StoredDocument, doing};
use crate::keys::Owner;
use crate::{Answer, Catalog, CatalogError, Result, keys};

/// Which profile has a handle.
#[derive(Serialize, Deserialize)]
struct Claim {
    profile_id: ProfileId,
}

/// The id of a profile the deployment ships: derived from its handle, so that it survives re-seeding.
#[must_use]
pub fn system_profile_id(handle: &Handle) -> ProfileId {
    ProfileId::from_bytes(derived(&format!("countersign/library/profile\0{handle}"), &[]))
}

impl StoredDocument for Profile {
    type Id = ProfileId;

    const KIND: &'static str = "profile";
    const KEY: &'static str = "PROFILE";
    const NEWEST_FIRST: bool = true;

    fn id(&self) -> &ProfileId {
        &self.id
    }

    fn owner(&self) -> Option<&UserId> {
        self.user_id.as_ref()
    }

    fn version(&self) -> Option<u64> {
        Some(self.version)
    }

    fn property(&self) -> String {
        if self.is_active { "active" } else { "inactive" }.to_owned()
    }

    /// The id follows from the request.
    fn repeats(&self, _: &Self) -> bool {
        true
    }

    fn unique_name(&self) -> (&'static str, String) {
        ("handle", self.spec.handle.to_string())
    }

    /// A handle belongs to one profile of its owner (F-169).
    fn written_with(before: Option<&Self>, after: Option<&Self>) -> Result<Vec<Write>> {
        let handle = |profile: &Self| profile.spec.handle.clone();
        if before.map(handle) == after.map(handle) {
            return Ok(Vec::new());
        }
        let claims = after.map(|after| claim(after).map_err(doing::<Self>("claim the handle of")));
        let given_up = before.map(|before| Ok(Write::delete(&claim_key(before))));
        claims.into_iter().chain(given_up).collect()
    }
}

fn claim_key(profile: &Profile) -> countersign_store_kit::Key {
    keys::handle(Owner::of(profile.user_id.as_ref()), &profile.spec.handle)
}

/// What the deployment ships is stored again when it changes, with the same id.
fn claim(profile: &Profile) -> std::result::Result<Write, StoreError> {
    let claim = Claim { profile_id: profile.id.clone() };
    let put = Write::put(&claim_key(profile), &claim)?;
    Ok(if profile.user_id.is_some() { put.if_absent() } else { put })
}

impl Catalog {
    /// The profiles.
    #[must_use]
    pub fn profiles(&self) -> Collection<'_, Profile> {
        self.collection()
    }

    /// The profile that a run or a step names, the owner's or a system's; none when there is none, or the text is not an id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn profile_named<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a str,
    ) -> Answer<'a, Option<Profile>> {
        Box::pin(async move {
            match ProfileId::parse(id) {
                Ok(id) => self.profiles().get(owner, &id).await,
                Err(_) => Ok(None),
            }
        })
    }
}

impl Catalog {
    /// Puts what belongs to a profile that the owner has, and does the write that goes `with` it; false, and nothing is done, when
    /// something is there already. `doing` is what an error says was tried.
    pub(crate) async fn add_to_profile(
        &self,
        owner: &UserId,
        profile: &str,
        put: Result<Write>,
        with: Option<Op>,
        doing: &'static str,
    ) -> Result<bool> {
        let none = || CatalogError::NotFound("profile");
        let profile = ProfileId::parse(profile).map_err(|_| none())?;
        let of_owner = keys::document::<Profile>(Owner::User(owner), &profile);
        let exists = Write::check(&of_owner, Expr::exists());
        let own = [exists, put?.if_absent()].map(|write| self.table.op(write));
        match self.table.transact_across(own.into_iter().chain(with).collect()).await {
            Ok(()) => Ok(true),
            Err(StoreError::ConditionFailed { index: 0, .. }) => Err(none()),
            Err(StoreError::ConditionFailed { .. }) => Ok(false),
            Err(other) => Err(CatalogError::doing(doing)(other)),
        }
    }
}

impl<'c> Collection<'c, Profile> {
    /// The owner's profile of this handle, or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`](crate::CatalogError::Store) when the table does not answer.
    pub fn by_handle(self, owner: &'c UserId, handle: &'c Handle) -> Answer<'c, Option<Profile>> {
        Box::pin(Owner::own_or_system(owner, move |whose| self.claimed(whose, handle)))
    }

    async fn claimed(self, owner: Owner<'_>, handle: &Handle) -> Result<Option<Profile>> {
        let key = keys::handle(owner, handle);
        let claim: Option<Claim> =
            self.table.get(&key).await.map_err(doing::<Profile>("look up the handle of"))?;
        match claim {
            Some(claim) => self.read(owner, &claim.profile_id).await,
            None => Ok(None),
        }
    }
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
