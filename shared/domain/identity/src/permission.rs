//! The one permission check, with K-26 and K-27.

use countersign_failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scope::{Group, Role, Scopes, Topic};

/// What an operation asks of its caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PermissionRequirement")]
pub struct Requirement {
    /// The lowest role that passes.
    pub required_role: Role,
    /// Whether the role must hold for the record's own topic.
    #[serde(default)]
    pub topic_scoped: bool,
    /// Whether `global` scopes count. When false the topic's own scope is needed (K-26).
    #[serde(default = "yes")]
    pub global_admin_override: bool,
    /// Explicit scopes that replace the comparison of levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_scopes: Option<Scopes>,
}

fn yes() -> bool {
    true
}

impl Requirement {
    /// A role anywhere is enough.
    #[must_use]
    pub fn role(required_role: Role) -> Self {
        Self {
            required_role,
            topic_scoped: false,
            global_admin_override: true,
            allowed_scopes: None,
        }
    }

    /// The role must hold for the topic of the record.
    #[must_use]
    pub fn topic_role(required_role: Role) -> Self {
        Self { topic_scoped: true, ..Self::role(required_role) }
    }
}

/// Why a caller may not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(
    code = "PERMISSION_DENIED",
    status = 403,
    help = "ask an administrator for a grant, then sign in again"
)]
pub enum Denied {
    /// The role is too low, or held for another topic.
    #[error("this needs the role {required} {place}")]
    Role {
        /// The lowest role that would pass.
        required: Role,
        /// Where it would have to be held.
        place: String,
    },
    /// The operation concerns a topic and none was resolved from the record (K-27).
    #[error("this is decided per topic and no topic is known for the record")]
    TopicUnknown,
}

/// Whether `scopes` satisfy `requirement` for a record of `topic`.
///
/// Order: a global admin passes when override is allowed; then the topic's own (and, unless override is off,
/// `global`) scopes decide; operations without a topic look at the highest role held anywhere.
///
/// # Errors
/// [`Denied::Role`] when the role is too low, [`Denied::TopicUnknown`] when a topic-scoped operation has no topic.
pub fn permits(
    scopes: &Scopes,
    requirement: &Requirement,
    topic: Option<&Topic>,
) -> Result<(), Denied> {
    if requirement.global_admin_override && is_global_admin(scopes) {
        return Ok(());
    }
    if let Some(allowed) = &requirement.allowed_scopes {
        let listed = scopes.iter().any(|held| allowed.iter().any(|scope| scope == held));
        return if listed { Ok(()) } else { Err(denied(requirement, topic)) };
    }
    let held = match topic {
        Some(topic) => scopes.role_for(topic, requirement.global_admin_override),
        None if requirement.topic_scoped => return Err(Denied::TopicUnknown),
        None => scopes.highest(),
    };
    if held.is_some_and(|role| role >= requirement.required_role) {
        Ok(())
    } else {
        Err(denied(requirement, topic))
    }
}

fn is_global_admin(scopes: &Scopes) -> bool {
    scopes.iter().any(|scope| scope.group == Group::Global && scope.role == Role::Admin)
}

fn denied(requirement: &Requirement, topic: Option<&Topic>) -> Denied {
    let place = topic
        .map_or_else(|| "in some topic".to_owned(), |topic| format!("in `{}`", topic.as_str()));
    Denied::Role { required: requirement.required_role, place }
}

#[cfg(test)]
mod tests;
