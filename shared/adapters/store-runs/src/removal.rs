//! What remains of a profile that is removed (F-178, F-411): its runs, which refer to it no more.

use countersign_identity::UserId;
use countersign_run::{Head, RunId};
use countersign_store_kit::{Expr, Window, Write};
use futures::future::try_join_all;

use crate::{Result, RunStore, keys};

/// Runs of a page; so many are listed at once.
const PAGE: i32 = 100;

/// So many runs are changed at the same time.
const AT_ONCE: usize = 8;

impl RunStore {
    /// Forgets when a profile's last run succeeded, and clears it from the runs that have finished; one that has not is
    /// cleared when it does. Doing it again goes on where it stopped.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn forget_profile(&self, owner: &UserId, profile: &str) -> Result<()> {
        self.table.write(Write::delete(&keys::last_success(owner, profile))).await?;
        let mut after = None;
        loop {
            let page = self.list(owner, (None, None), Window { limit: PAGE, after }).await?;
            for some in finished_of(&page.items, profile).chunks(AT_ONCE) {
                try_join_all(some.iter().map(|run| self.without_profile(run))).await?;
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// The runs of a profile that have not finished.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn unfinished(&self, owner: &UserId, profile: &str) -> Result<Vec<Head>> {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = self.list(owner, (None, None), Window { limit: PAGE, after }).await?;
            let is_its = |head: &Head| head.profile_id == profile && head.finished_at.is_none();
            found.extend(page.items.into_iter().filter(is_its));
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(found),
            }
        }
    }

    async fn without_profile(&self, run: &RunId) -> Result<()> {
        let update = Write::update(&keys::head(run)).set("profile_id", &"")?.add("version", &1)?;
        self.table.write(update.when(Expr::exists())).await
    }
}

fn finished_of(heads: &[Head], profile: &str) -> Vec<RunId> {
    let is_its = |head: &&Head| head.profile_id == profile && head.finished_at.is_some();
    heads.iter().filter(is_its).map(|head| head.run.clone()).collect()
}
