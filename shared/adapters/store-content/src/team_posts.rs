//! What members of a team write.

use countersign_store_kit::{Expr, Page, Query, StoreError, Window, Write};
use countersign_team::{Feed, Post, PostId, PostPage, ReadError, TeamId};
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::keys::{self, sortable};
use crate::{Answer, ContentError, ContentStore, Result};

/// Posts a page of [`Feed::since`].
const PAGE: i32 = 100;

impl ContentStore {
    /// Writes a post unless one with its id exists; answers with the one that stands. A reply is counted by the post that its
    /// thread begins with.
    ///
    /// # Errors
    /// [`ContentError::NoThread`] when there is no such thread in the team.
    pub fn create_post<'a>(&'a self, post: &'a Post) -> Answer<'a, Post> {
        Box::pin(async move {
            if post.begins_thread {
                return self.table.put_once(put(post)?, post).await;
            }
            let first = keys::post(&post.team_id, &post.thread_id.first_post());
            let counted = Write::update(&first).add("reply_count", &1)?.when(begins_thread()?);
            let writes = vec![put(post)?.if_absent(), counted];
            match self.table.transact(writes).await {
                Ok(()) => Ok(post.clone()),
                Err(StoreError::ConditionFailed { index: 0, .. }) => {
                    Ok(self.post(&post.team_id, &post.id).await?.unwrap_or_else(|| post.clone()))
                }
                Err(StoreError::ConditionFailed { .. }) => {
                    Err(ContentError::NoThread(post.thread_id.clone()))
                }
                Err(other) => Err(other.into()),
            }
        })
    }

    /// A post of this team.
    pub fn post(&self, team: &TeamId, id: &PostId) -> Answer<'_, Option<Post>> {
        self.table.read(keys::post(team, id))
    }

    /// The posts of a team between two moments, newest first.
    pub fn posts(
        &self,
        team: &TeamId,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        window: Window,
    ) -> Answer<'_, Page<Post>> {
        let high = to.map_or_else(|| "~".to_owned(), |to| format!("{}~", sortable(to)));
        let query = Query::index(&keys::posts(team)).between(&low(from), &high).descending();
        self.table.page(query.within(window))
    }

    /// Takes the text of a post away; that somebody wrote it stays, for the sake of its replies. None when there is none.
    pub async fn remove_post(
        &self,
        team: &TeamId,
        id: &PostId,
        now: Timestamp,
    ) -> Result<Option<Post>> {
        let unremoved = Expr::new("attribute_exists(#PK) AND attribute_not_exists(#removed_at)");
        let write = Write::update(&keys::post(team, id)).set("content", &"")?;
        self.table.try_write(write.set("removed_at", &now)?.when(unremoved)).await?;
        self.post(team, id).await
    }
}

impl Feed for ContentStore {
    fn since<'a>(
        &'a self,
        team: &'a TeamId,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, std::result::Result<PostPage, ReadError>> {
        let query = Query::index(&keys::posts(team)).between(&low(since), "~");
        let query = query.limit(PAGE).after(after);
        Box::pin(async move {
            let page: Result<Page<Post>> = self.table.page(query).await;
            let page = page.map_err(|error| Box::new(error) as ReadError)?;
            Ok(PostPage { posts: page.items, next: page.next })
        })
    }
}

fn put(post: &Post) -> std::result::Result<Write, StoreError> {
    let sort = keys::at(post.created_at, &post.id);
    Ok(Write::put(&keys::post(&post.team_id, &post.id), post)?
        .indexed(&keys::posts(&post.team_id), &sort))
}

/// Where the posts of a moment begin in the index; all of them without one.
fn low(from: Option<Timestamp>) -> String {
    from.map_or_else(|| "0".to_owned(), sortable)
}

fn begins_thread() -> std::result::Result<Expr, StoreError> {
    Expr::new("#begins_thread = :yes").bind("yes", &true)
}
