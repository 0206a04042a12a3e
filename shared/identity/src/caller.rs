//! The caller of a request, and what an agent knows of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::permission::{Denied, Requirement, permits};
use crate::scope::{Role, Scopes, Topic};

countersign_ids::prefixed_id! {
    /// One human or service account in the directory.
    pub struct UserId("user");
}

/// What a person may do beyond the levels; carried only by tokens of an interactive login (K-08).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// May decide approvals.
    Decide,
    /// May publish.
    Publish,
    /// May administer the deployment: users, grants, policies, system templates.
    Administer,
}

/// Who a request comes from: identity by the token, rights by token ∩ directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The directory's id.
    pub user: UserId,
    /// Effective scopes.
    pub scopes: Scopes,
    /// Effective capabilities.
    pub capabilities: BTreeSet<Capability>,
    /// The token's own id, for the audit trail.
    pub token_id: String,
}

impl Caller {
    /// The permission check with this caller's effective scopes.
    ///
    /// # Errors
    /// [`Denied`] as [`permits`] says.
    pub fn permits(&self, requirement: &Requirement, topic: Option<&Topic>) -> Result<(), Denied> {
        permits(&self.scopes, requirement, topic)
    }

    /// Whether the caller holds a capability.
    #[must_use]
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }
}

/// What agents and tools see of the caller (A-006…A-010); loaded once per request and immutable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserContext {
    /// The directory's id.
    pub user_id: UserId,
    /// Display name.
    pub name: String,
    /// Verified mail address.
    pub email: String,
    /// Effective scopes.
    pub scopes: Scopes,
    /// The highest role held; none when there are no scopes.
    pub role: Option<Role>,
}
