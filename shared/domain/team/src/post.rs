//! What members of a team write.

use countersign_identity::UserId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TeamId;

countersign_ids::prefixed_id! {
    /// One post.
    pub struct PostId("post");
}

countersign_ids::prefixed_id! {
    /// One thread: a post and the replies to it.
    pub struct ThreadId("thrd");
}

/// The longest post, in characters.
pub const MAX_POST: usize = 10_000;

/// A post of a member of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TeamPost")]
pub struct Post {
    /// The id.
    pub id: PostId,
    /// The team.
    pub team_id: TeamId,
    /// The thread it belongs to.
    pub thread_id: ThreadId,
    /// The member who wrote it.
    pub author_id: UserId,
    /// Their name when they wrote it.
    pub author: String,
    /// The text, as it was written; empty once it is removed.
    pub content: String,
    /// Whether the thread begins with it.
    pub begins_thread: bool,
    /// How many replies its thread has, where the thread begins with it; else 0.
    #[serde(default)]
    pub reply_count: u64,
    /// When it was written.
    pub created_at: Timestamp,
    /// When its author or an administrator removed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
}

impl ThreadId {
    /// The thread that begins with this post.
    #[must_use]
    pub fn begun_by(post: &PostId) -> Self {
        Self(format!("{}_{}", Self::PREFIX, digits(post.as_str())))
    }

    /// The post that the thread begins with.
    #[must_use]
    pub fn first_post(&self) -> PostId {
        PostId(format!("{}_{}", PostId::PREFIX, digits(&self.0)))
    }
}

fn digits(id: &str) -> &str {
    id.split_once('_').map_or(id, |(_, digits)| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_409_a_thread_is_named_by_the_post_that_begins_it() {
        let post = PostId::from_bytes([7; 16]);
        assert_eq!(ThreadId::begun_by(&post).first_post(), post);
    }
}
