//! Which profiles are shared with which teams (F-405).

use countersign_profile::Profile;
use countersign_store_kit::{Expr, Page, Query, StoreError, Window, Write};
use countersign_team::{Share, TeamId, Terms};
use jiff::Timestamp;

use crate::{Answer, Catalog, CatalogError, keys};

/// The most shares of one profile that are read.
const MAX: usize = 500;

impl Catalog {
    /// Shares a profile of the one who shares it. Doing the same again answers as the first time.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when the profile is not there or not theirs, [`CatalogError::Shared`] when it is shared with
    /// the team already.
    pub fn create_share<'a>(&'a self, share: &'a Share) -> Answer<'a, Share> {
        Box::pin(async move {
            let (profile, team) = (&share.agent_profile_id, &share.team_id);
            let doing = "share the profile";
            let put = put(share).map_err(CatalogError::doing(doing));
            if self.add_to_profile(&share.shared_by, profile, put, None, doing).await? {
                return Ok(share.clone());
            }
            let known = self.share(profile, team).await?;
            let shared = || CatalogError::Shared(team.to_string());
            known.filter(|known| known.id == share.id).ok_or_else(shared)
        })
    }

    /// The share of a profile with a team, whether or not it counts.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn share(&self, profile: &str, team: &TeamId) -> Answer<'_, Option<Share>> {
        let key = keys::share(profile, team);
        Box::pin(async move {
            self.table.get(&key).await.map_err(CatalogError::doing("read the share"))
        })
    }

    /// The profile that a share is of, while it is there and belongs to whoever shared it.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn shared_profile<'a>(&'a self, share: &'a Share) -> Answer<'a, Option<Profile>> {
        Box::pin(async move {
            let profile = self.profile_named(&share.shared_by, &share.agent_profile_id).await?;
            Ok(profile.filter(|profile| profile.user_id.as_ref() == Some(&share.shared_by)))
        })
    }

    /// Gives a share other terms and answers with it as it then stands.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when there is none, [`CatalogError::Changed`] when it went in between.
    pub async fn change_share(
        &self,
        profile: &str,
        team: &TeamId,
        terms: Terms,
        now: Timestamp,
    ) -> Result<Share, CatalogError> {
        let doing = CatalogError::doing("change the share");
        let before = self.share(profile, team).await?.ok_or(CatalogError::NotFound("share"))?;
        let is_same = Expr::new("#id = :before").bind("before", &before.id).map_err(doing)?;
        let after = Share { terms, updated_at: now, ..before };
        let write = put(&after).map_err(doing)?.when(is_same);
        let is_changed = self.table.try_write(write).await.map_err(doing)?;
        is_changed.then_some(after).ok_or(CatalogError::Changed("share"))
    }

    /// Takes a share back.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when there is none.
    pub fn remove_share(&self, profile: &str, team: &TeamId) -> Answer<'_, ()> {
        let write = Write::delete(&keys::share(profile, team)).when(Expr::exists());
        Box::pin(async move {
            let doing = CatalogError::doing("take the share back");
            let is_gone = self.table.try_write(write).await.map_err(doing)?;
            is_gone.then_some(()).ok_or(CatalogError::NotFound("share"))
        })
    }

    /// The shares of a profile.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn shares(&self, profile: &str) -> Answer<'_, Vec<Share>> {
        let query = Query::partition(&keys::shares(profile)).consistent();
        Box::pin(async move {
            let shares = self.table.query_all(query, MAX).await;
            shares.map_err(CatalogError::doing("list the shares"))
        })
    }

    /// What is shared with a team, whether or not it counts, by profile.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn shared_with(&self, team: &TeamId, window: Window) -> Answer<'_, Page<Share>> {
        let query = Query::index(&keys::shared_with(team)).within(window);
        Box::pin(async move {
            let page = self.table.page(query).await;
            page.map_err(CatalogError::doing("list what is shared with the team"))
        })
    }

    /// Takes every share of a profile back.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn remove_shares<'a>(&'a self, profile: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove the shares");
            loop {
                let shares = self.shares(profile).await?;
                if shares.is_empty() {
                    return Ok(());
                }
                let gone = |share: &Share| Write::delete(&keys::share(profile, &share.team_id));
                self.table.write_many(shares.iter().map(gone).collect()).await.map_err(doing)?;
            }
        })
    }
}

fn put(share: &Share) -> Result<Write, StoreError> {
    let put = Write::put(&keys::share(&share.agent_profile_id, &share.team_id), share)?;
    Ok(put.indexed(&keys::shared_with(&share.team_id), &share.agent_profile_id))
}
