//! Who an agent is (F-168…F-179, F-393).
//!
//! A [`ProfileSpec`] is what its owner writes: JSON at the API, YAML in the library, one reader for both that finds every
//! problem at its field path. A [`Profile`] is a stored spec with id, owner and times. A [`Template`] is a spec with the
//! connectors and playbooks it wants bound.

mod error;
mod handle;
mod read;
mod spec;

use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use countersign_journal::{DetailLevel, JournalConfig};
pub use error::ProfileError;
pub use handle::Handle;
pub use read::Template;
pub use spec::{
    ApprovalPolicy, ExecutionMode, KnowledgeConfig, OutputConfig, ProfileSpec, Skill, SkillType,
    TeamConfig, TeamPermission,
};

countersign_ids::prefixed_id! {
    /// One agent.
    pub struct ProfileId("prof");
}

/// A stored profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The id.
    pub id: ProfileId,
    /// The owner; none for the templates the system ships, which nobody may change.
    pub user_id: Option<UserId>,
    /// Inactive profiles never run (F-177).
    pub is_active: bool,
    /// Raised by every change.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// What its owner wrote.
    #[serde(flatten)]
    pub spec: ProfileSpec,
}

impl Profile {
    /// A new, active profile.
    #[must_use]
    pub fn new(id: ProfileId, owner: UserId, spec: ProfileSpec, now: Timestamp) -> Self {
        Self {
            id,
            user_id: Some(owner),
            is_active: true,
            version: 1,
            created_at: now,
            updated_at: now,
            spec,
        }
    }

    /// Who signs what this agent wants to do when a playbook names nobody: the profile's approvers, else its owner's id.
    #[must_use]
    pub fn signers(&self) -> Vec<String> {
        match (&self.spec.approvers[..], &self.user_id) {
            ([], Some(owner)) => vec![owner.to_string()],
            (named, _) => named.to_vec(),
        }
    }
}
