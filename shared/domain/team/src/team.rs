//! A team and its members.

use countersign_document::{MaybeBlank, Text};
use countersign_identity::UserId;
use countersign_run::TeamId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Team {
    /// The id.
    pub id: TeamId,
    /// Its name for people.
    pub name: Text<100>,
    /// What it is for.
    #[serde(default)]
    pub description: MaybeBlank<2_000>,
    /// Whether it works: nobody is a member of a team that is switched off.
    pub is_active: bool,
    /// The administrator who made it.
    pub created_by: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last; its members apart.
    pub updated_at: Timestamp,
    /// One more with every change.
    pub version: u64,
}

/// What of a team is to be different; what is none stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TeamChange {
    /// Another name.
    pub name: Option<Text<100>>,
    /// Another description.
    pub description: Option<MaybeBlank<2_000>>,
    /// Whether it works.
    pub is_active: Option<bool>,
}

impl Team {
    /// The same team with the change.
    #[must_use]
    pub fn changed(self, change: &TeamChange, now: Timestamp) -> Self {
        Self {
            name: change.name.clone().unwrap_or(self.name),
            description: change.description.clone().unwrap_or(self.description),
            is_active: change.is_active.unwrap_or(self.is_active),
            updated_at: now,
            version: self.version + 1,
            ..self
        }
    }
}

/// That a person is a member of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The team.
    pub team_id: TeamId,
    /// The person.
    pub user_id: UserId,
    /// The administrator who made them a member.
    pub added_by: UserId,
    /// When.
    pub added_at: Timestamp,
}
