//! What the actions of teams ask the stores.

use countersign_failure::Failure;
use countersign_identity::UserId;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::{Post, TeamId, TeamPermission};

/// Why something could not be read.
pub type ReadError = Box<dyn Failure>;

/// What agents may do in teams.
pub trait TeamAccess: Send + Sync {
    /// What this agent of this owner may do in a team now: nothing unless an active share says so, the team works, and the
    /// owner is a member of it (K-36).
    fn permission<'a>(
        &'a self,
        owner: &'a UserId,
        agent: &'a str,
        team: &'a TeamId,
    ) -> BoxFuture<'a, Result<TeamPermission, ReadError>>;
}

/// Some posts, and where to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostPage {
    /// The posts, the oldest first.
    pub posts: Vec<Post>,
    /// What to ask for the rest with.
    pub next: Option<String>,
}

/// The posts of teams.
pub trait Feed: Send + Sync {
    /// The posts of a team from a moment on, the oldest first; all of them without one.
    fn since<'a>(
        &'a self,
        team: &'a TeamId,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<PostPage, ReadError>>;
}
