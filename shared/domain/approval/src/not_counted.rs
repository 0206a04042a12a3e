//! Why an approval does not count any more.

use std::fmt;

use countersign_identity::Refused;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an approval does not count any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalNotCounted")]
pub enum NotCounted {
    /// The directory does not know the person any more.
    UserUnknown,
    /// The person was deactivated.
    UserInactive,
    /// The token it was given with was revoked.
    TokenRevoked,
    /// The person does not hold the capability `decide` any more.
    CapabilityMissing,
    /// The person does not hold the role that signing takes any more.
    RoleMissing,
    /// The person may not decide this request for another reason.
    NotAllowed,
}

impl fmt::Display for NotCounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UserUnknown => "the person is not in the directory any more",
            Self::UserInactive => "the person is not active any more",
            Self::TokenRevoked => "the token it was given with was revoked",
            Self::CapabilityMissing => "the person does not hold the capability `decide` any more",
            Self::RoleMissing => "the person does not hold the role that signing takes any more",
            Self::NotAllowed => "the person may not decide this any more",
        })
    }
}

impl From<Refused> for NotCounted {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::UnknownUser => Self::UserUnknown,
            Refused::Inactive => Self::UserInactive,
            Refused::TokenRevoked => Self::TokenRevoked,
        }
    }
}
