//! Why an approval does not count any more.

use countersign_identity::Refused;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an approval does not count any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalNotCounted")]
pub enum NotCounted {
    /// The directory does not know the person any more.
    #[strum(to_string = "the person is not in the directory any more")]
    UserUnknown,
    /// The person was deactivated.
    #[strum(to_string = "the person is not active any more")]
    UserInactive,
    /// The token it was given with was revoked.
    #[strum(to_string = "the token it was given with was revoked")]
    TokenRevoked,
    /// The person does not hold the capability `decide` any more.
    #[strum(to_string = "the person does not hold the capability `decide` any more")]
    CapabilityMissing,
    /// The person does not hold the role that signing takes any more.
    #[strum(to_string = "the person does not hold the role that signing takes any more")]
    RoleMissing,
    /// The person may not decide this request for another reason.
    #[strum(to_string = "the person may not decide this any more")]
    NotAllowed,
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
