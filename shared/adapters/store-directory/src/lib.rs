//! The table `Directory`: who exists, what they were granted, and what was revoked.
//!
//! | PK | SK | what |
//! |---|---|---|
//! | `USER#{id}` | `PROFILE` | the person; listed in the index under `USERS` by username |
//! | `USER#{id}` | `SCOPE#{scope}` | one granted scope |
//! | `USER#{id}` | `CAPABILITY#{name}` | one granted capability |
//! | `USER#{id}` | `REVOKED#{token id}` | one void token, until it would have expired |
//! | `USER#{id}` | `TEAM#{team}` | that the person is a member of the team; in the index under `TEAM#{team}#MEMBERS` |
//! | `SESSIONS#{id}` | `{began}#{session}` | a session of the person of which a token was seen; expires |
//! | `TEAM#{team}` | `TEAM` | a team; listed in the index under `TEAMS` by name |
//! | `USERNAME#{name}`, `EMAIL#{address}` | `CLAIM` | who holds the name, so that it is held once |
//! | `SUBJECT#{sub}` | `CLAIM` | whose account of the user pool it is or was |
//! | `DEPLOYMENT` | `APPOINTED#{address}` | that this first administrator was appointed |
//! | `DEPLOYMENT` | `FLOOR` | the policy no other policy may undercut |
//! | `DEPLOYMENT` | `MODELLIST` | the models that agents may choose, with prices and budgets |
//!
//! Everything that decides what a person may do lies in one partition: [`Directory::standing`] is one strongly
//! consistent read, done again before every effect and every decision.

mod account;
mod asked;
mod error;
mod grants;
mod keys;
mod sessions;
mod settings;
mod sign_in;
mod teams;
mod user;
mod users;

pub use account::{Account, PoolSubject};
pub use error::DirectoryError;
pub use sessions::SeenSession;
pub use settings::{Setting, StoredSetting};
pub use sign_in::{FirstRights, Holder};
pub use user::{Email, InvalidUser, NewUser, User, UserChange, Username};

use countersign_store_kit::Table;

/// What every method of this crate returns.
pub type Result<T> = std::result::Result<T, DirectoryError>;

/// What a store is asked for, on its way.
pub type Answer<'a, T> = futures::future::BoxFuture<'a, Result<T>>;

/// The table `Directory`.
#[derive(Debug, Clone)]
pub struct Directory {
    table: Table,
}

impl Directory {
    /// The directory in this table.
    #[must_use]
    #[inline]
    pub fn new(table: Table) -> Self {
        Self { table }
    }
}
