//! Who gave a request more time, and when.

use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Who gave a request more time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionRecord {
    /// Who.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
    /// The deadline before.
    pub from: Timestamp,
    /// The deadline afterwards.
    pub to: Timestamp,
}
