//! Who is asking, and what they may do.
//!
//! A token carries scopes of the form `{group}:{role}`; the group is a topic or `global`. What a caller may really do
//! is the intersection of the token with the directory ([`Scopes::intersect`]), read again before every effect.
//! Deciding and publishing are [`Capability`]s, never levels, so that an author cannot approve their own work (K-08).

mod caller;
mod effective_permissions;
mod permission;
mod saved;
mod scope;

pub use caller::{Caller, Capability, UserContext, UserId};
pub use effective_permissions::{
    Accounts, DirectoryEntry, PoolAccount, Presented, Refused, Rights, TokenUse,
};
pub use permission::{Denied, Requirement, permits};
pub use saved::Saved;
pub use scope::{Group, InvalidTopic, Role, Scope, Scopes, Topic};
