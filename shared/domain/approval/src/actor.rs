//! Who or what acted, and the id of the receipt of it.

use countersign_identity::UserId;
use serde::{Deserialize, Serialize};

countersign_ids::prefixed_id! {
    /// One receipt.
    pub struct ReceiptId("rcpt");
}

/// Who or what acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "id", deny_unknown_fields)]
pub enum Actor {
    /// A person of the directory.
    Person(UserId),
    /// The deadline.
    Clock,
    /// The engine: the run was stopped, or is gone.
    Engine,
}

impl Actor {
    /// The person, when it was one.
    #[must_use]
    pub fn person(&self) -> Option<&UserId> {
        match self {
            Self::Person(person) => Some(person),
            Self::Clock | Self::Engine => None,
        }
    }
}
