//! Teams (F-007, F-010, F-229…F-234): who is a member, which agents are shared with them and on which terms, and the posts
//! that members write.
//!
//! A share is the owner's; membership is an administrator's. An agent works in a team only while both stand: the share is
//! active and its owner is a member. Both are looked up at every call ([`TeamAccess`], K-36). Nothing here reads a clock or a
//! store.

mod access;
mod post;
mod share;
mod team;

pub use access::{Feed, PostPage, ReadError, TeamAccess};
pub use countersign_run::{TeamContext, TeamId};
pub use post::{MAX_POST, Post, PostId, ThreadId};
pub use share::{JournalVisibility, Share, ShareId, TeamConfig, TeamPermission, Terms};
pub use team::{Member, Team, TeamChange};
