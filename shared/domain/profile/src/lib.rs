//! Who an agent is (F-168…F-179, F-393).
//!
//! A [`ProfileSpec`] is what its owner writes: JSON at the API, YAML in the library. [`Fields`] declares it once: the
//! reader, the schema and every message come from that type. A [`Profile`] is a stored spec with id, owner and times. A
//! [`Template`] is a spec with the connectors and playbooks it wants bound.

mod built_in;
mod destination;
mod error;
mod handle;
mod inert;
mod read;
mod spec;
mod specialist;

use countersign_document::Refused;
use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use built_in::Research;
pub use countersign_journal::{DetailLevel, JournalConfig};
pub use countersign_run::{ApprovalPolicy, ExecutionMode};
pub use destination::DestinationFile;
pub use error::ProfileError;
pub use handle::Handle;
pub use read::{ProfileFile, Template, Written};
pub use spec::{
    Approver, Fields, KnowledgeConfig, OutputConfig, ProfileSpec, Skill, SkillType,
    StoredDestination,
};
pub use specialist::{Specialist, SpecialistName};

countersign_ids::prefixed_id! {
    /// One agent.
    pub struct ProfileId("prof"), described elsewhere;
}

countersign_document::text_schema! {
    ProfileId {
        format: "profile-id", code: "id", sample: "prof_00000000000000000000000000000000",
        pattern: "^prof_[0-9a-f]{32}$",
        check: |text| ProfileId::parse(text).map(drop).map_err(|error| Refused::new(error.to_string())),
    }
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
            (named, _) => named.iter().map(ToString::to_string).collect(),
        }
    }
}
