//! What fires a trigger.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RunId, RunStatus};

/// What fired a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TriggeredBy {
    /// A call from outside, whose signature was right. Its body is kept apart.
    Webhook {
        /// The sender's id of the message.
        message_id: String,
        /// When it was sent, as the sender says.
        sent_at: Timestamp,
        /// The size of its body.
        bytes: u64,
        /// SHA-256 of its body, hex.
        sha256: String,
        /// The key that it was signed with, `hkey_…`; earlier releases did not note it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// A file that arrived in a folder.
    File {
        /// `file_…`.
        file_id: String,
        /// What a step names to read it.
        source: String,
        /// Its name.
        name: String,
        /// The folder.
        folder: String,
        /// Its size.
        bytes: u64,
        /// The version of its content.
        etag: String,
    },
    /// A run that has ended.
    After {
        /// Which.
        run: RunId,
        /// How it ended.
        status: RunStatus,
        /// The playbook it followed.
        playbook: String,
    },
}

impl TriggeredBy {
    /// What makes the event one: reported again, it is the same text.
    #[must_use]
    pub fn event(&self) -> String {
        match self {
            Self::Webhook { message_id, .. } => format!("message {message_id}"),
            Self::File { file_id, etag, .. } => format!("file {file_id} {etag}"),
            Self::After { run, .. } => format!("run {run}"),
        }
    }
}
