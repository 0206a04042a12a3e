//! The caller of a request, and what an agent knows of them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::permission::{Denied, Requirement, permits};
use crate::scope::{Role, Scopes, Topic};

countersign_ids::prefixed_id! {
    /// One human or service account in the directory.
    pub struct UserId("user");
}

/// What a person may do beyond the levels; carried only by tokens of an interactive login.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString)]
#[strum(serialize_all = "snake_case")]
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

impl UserContext {
    /// Derives the role from the scopes, so that the two cannot disagree.
    #[must_use]
    pub fn new(user_id: UserId, name: String, email: String, scopes: Scopes) -> Self {
        let role = scopes.highest();
        Self { user_id, name, email, scopes, role }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scopes: &[&str], role: Option<Role>) {
        let user = UserId::from_bytes([7; 16]);
        let context = UserContext::new(
            user,
            "Ada".to_owned(),
            "ada@example.org".to_owned(),
            Scopes::parse(scopes.iter().copied()),
        );
        assert_eq!(context.role, role, "{scopes:?}");
    }

    #[test]
    fn a_006_to_a_010_the_context_carries_the_highest_role() {
        check(&["macro:reader", "equity:analyst", "esg:editor"], Some(Role::Analyst));
        check(&["global:admin", "macro:reader"], Some(Role::Admin));
        check(&["macro:emperor"], None);
        check(&[], None);
    }

    #[test]
    fn a_011_the_context_survives_the_wire_unchanged() {
        let user = UserId::from_bytes([7; 16]);
        let scopes = Scopes::parse(["global:admin"]).intersect(&Scopes::parse(["macro:admin"]));
        let context =
            UserContext::new(user, "Ada".to_owned(), "ada@example.org".to_owned(), scopes);
        let text = serde_json::to_string(&context).unwrap();
        assert_eq!(serde_json::from_str::<UserContext>(&text).unwrap(), context);
    }

    #[test]
    fn k_08_no_role_carries_a_capability() {
        let caller = |capabilities: &[Capability]| Caller {
            user: UserId::from_bytes([7; 16]),
            scopes: Scopes::parse(["global:admin", "macro:admin", "macro:analyst"]),
            capabilities: capabilities.iter().copied().collect(),
            token_id: "t".to_owned(),
        };
        for capability in [Capability::Decide, Capability::Publish, Capability::Administer] {
            assert!(!caller(&[]).can(capability), "{capability:?}");
            assert!(caller(&[capability]).can(capability), "{capability:?}");
        }
    }
}
