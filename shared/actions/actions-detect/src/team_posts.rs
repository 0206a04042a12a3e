//! `detect_new_team_posts` (F-061): posts of a team that the agent is shared with.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use countersign_identity::UserId;
use countersign_monitor::{Found, MAX_BYTES, MarkKind};
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_registry::actions::detect_new_team_posts::{
    DetectNewTeamPosts, Inputs, NewPost, Params, ThreadName,
};
use countersign_store_catalog::Catalog;
use countersign_store_directory::Directory;
use countersign_team::{Feed, Post, ReadError, TeamAccess, TeamId, TeamPermission};
use futures::future::{BoxFuture, try_join};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::by_time::{Listed, Page, Read};
use crate::detection::Detection;
use crate::look::{Look, Seen};

/// How long it may take until the index has a post, and how much the clocks of those who write may differ: so much later than
/// others it may show.
const SETTLES: SignedDuration = SignedDuration::from_mins(2);

/// The shares of agents and the members of teams.
#[derive(Debug, Clone)]
pub struct SharedWith {
    /// The shares.
    pub catalog: Catalog,
    /// The members.
    pub directory: Directory,
}

impl TeamAccess for SharedWith {
    fn permission<'a>(
        &'a self,
        owner: &'a UserId,
        agent: &'a str,
        team: &'a TeamId,
    ) -> BoxFuture<'a, Result<TeamPermission, ReadError>> {
        Box::pin(async move {
            let share = async {
                let share = self.catalog.share(agent, team).await;
                share.map_err(|error| Box::new(error) as ReadError)
            };
            let member = async {
                let member = self.directory.team_of(owner, team).await;
                member.map_err(|error| Box::new(error) as ReadError)
            };
            let (share, member) = try_join(share, member).await?;
            Ok(TeamPermission::of(owner, share.as_ref(), member.is_some()))
        })
    }
}

/// The detection.
pub struct NewTeamPosts {
    /// What members have written.
    pub posts: Arc<dyn Feed>,
    /// What the agent may do in the team.
    pub access: Arc<dyn TeamAccess>,
}

impl Detection for NewTeamPosts {
    type Action = DetectNewTeamPosts;

    const KIND: MarkKind = MarkKind::Timestamp;

    fn source(inputs: &Inputs, _: &Params) -> Map<String, Value> {
        metadata(inputs.team_id.as_str())
    }

    fn nothing(before: Option<String>) -> Value {
        json!({"posts": [], "count": 0, "has_more": false, "watermark": before, "previous_watermark": before})
    }

    async fn find(
        &self,
        call: &Call,
        look: Look<'_>,
        inputs: Inputs,
        params: Params,
    ) -> Result<Seen, ActionError> {
        let (late, bytes) = (look.late.max(SETTLES), look.bytes.min(MAX_BYTES));
        let look = Look { late, bytes, ..look };
        let team = self.allowed(call, &inputs).await?;
        let page = |since, after| self.page(&team, &params, since, after);
        let read = Read::of(look, call.now, page).await?;
        let mut read = read.unstuck(look, "TOO_MANY_POSTS", "written")?;
        let found = std::mem::take(&mut read.found);
        let novel = look.novel(found, Self::KIND, call.now)?;
        Ok(read.seen("posts", novel, look, metadata(inputs.team_id.as_str())))
    }
}

impl NewTeamPosts {
    /// The team, when the agent may read its posts now.
    async fn allowed(&self, call: &Call, inputs: &Inputs) -> Result<TeamId, ActionError> {
        let team = TeamId::parse(inputs.team_id.as_str()).map_err(|_| {
            ActionError::terminal("DETECT_ARGUMENT", "`team_id` is not the id of a team")
        })?;
        let permission = self.access.permission(&call.owner, &call.info.profile_id, &team).await;
        let permission = permission.map_err(|error| ActionError::from_failure(error.as_ref()))?;
        // What one team wrote no member of another sees.
        let is_own = call.info.team.as_ref().is_none_or(|own| own == team.as_str());
        if permission.post_access && is_own {
            return Ok(team);
        }
        let message = format!("the agent may not read the posts of `{team}`");
        Err(ActionError::terminal("TEAM_ACCESS_MISSING", message).with_help(
            "its owner must be a member of the team and share the agent with it, with `team_post_access: true`",
        ))
    }

    /// A page of posts.
    fn page<'a>(
        &'a self,
        team: &'a TeamId,
        params: &'a Params,
        since: Option<Timestamp>,
        after: Option<String>,
    ) -> ActionFuture<'a, Page<()>> {
        Box::pin(async move {
            let page = self.posts.since(team, since, after.as_deref()).await;
            let page = page.map_err(|error| ActionError::from_failure(error.as_ref()))?;
            let listed = page.posts.into_iter().map(|post| Listed {
                at: post.created_at,
                found: fits(&post, params).then(|| (item(post), ())),
            });
            Ok((listed.collect(), page.next))
        })
    }
}

fn metadata(team: &str) -> Map<String, Value> {
    Map::from_iter([("team_id".to_owned(), team.into())])
}

fn fits(post: &Post, params: &Params) -> bool {
    let is_named = |thread: &ThreadName| thread.as_str() == post.thread_id.as_str();
    post.removed_at.is_none()
        && post.content.chars().count() >= params.min_length
        && (params.thread_ids.is_empty() || params.thread_ids.iter().any(is_named))
}

fn item(post: Post) -> Found {
    let record = NewPost {
        post_id: post.id.to_string(),
        thread_id: post.thread_id.to_string(),
        author: post.author,
        author_id: post.author_id.to_string(),
        content: post.content,
        created_at: post.created_at.to_string(),
        reply_count: post.reply_count,
    };
    Found { key: post.id.to_string(), at: Some(post.created_at), record: json!(record) }
}
