//! What a trigger waits for.

use countersign_document::{FOLDER_PATTERN, List, Refused, Text, folder_name, text_type};
use countersign_run::RunStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a trigger waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum TriggerEvent {
    /// A signed call to `POST /hooks/{id}`.
    Webhook {},
    /// A file that its owner uploads into a folder.
    File {
        /// The folder.
        folder: FolderName,
        /// Only files whose names end so, such as `pdf`; left out, all.
        #[serde(default, skip_serializing_if = "is_empty")]
        file_types: List<FileType, 0, 20>,
    },
    /// The end of a run of its owner's that counts: a test fires nothing.
    After {
        /// The playbook that the run followed.
        playbook: Text<100>,
        /// How the run has to have ended.
        #[serde(default = "complete")]
        statuses: List<EndStatus, 1, 6>,
    },
}

fn is_empty(types: &List<FileType, 0, 20>) -> bool {
    types.is_empty()
}

/// A run that did all it should is the default.
fn complete() -> List<EndStatus, 1, 6> {
    let list = serde_json::from_value(serde_json::json!(["complete"]));
    list.unwrap_or_else(|_| unreachable!("the default reads"))
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndStatus {
    /// Every step did what it should.
    Complete,
    /// Some steps failed or were refused on the way.
    Partial,
    /// A gate was refused.
    Rejected,
    /// A step failed.
    Error,
    /// A deadline passed.
    Timeout,
    /// Somebody cancelled it.
    Cancelled,
}

impl EndStatus {
    fn is(self, status: RunStatus) -> bool {
        let own = match self {
            Self::Complete => RunStatus::Complete,
            Self::Partial => RunStatus::Partial,
            Self::Rejected => RunStatus::Rejected,
            Self::Error => RunStatus::Error,
            Self::Timeout => RunStatus::Timeout,
            Self::Cancelled => RunStatus::Cancelled,
        };
        own == status
    }
}

impl TriggerEvent {
    /// The word of its type.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// Whether a file of this name in this folder fires it.
    #[must_use]
    pub fn takes_file(&self, in_folder: &str, name: &str) -> bool {
        let Self::File { folder, file_types } = self else { return false };
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let fits = |kind: &FileType| kind.as_str().eq_ignore_ascii_case(ending);
        folder.as_str() == in_folder && (file_types.is_empty() || file_types.iter().any(fits))
    }

    /// Whether the end of a run of this playbook fires it.
    #[must_use]
    pub fn takes_end(&self, of_playbook: &str, status: RunStatus) -> bool {
        let Self::After { playbook, statuses } = self else { return false };
        playbook.as_str() == of_playbook && statuses.iter().any(|one| one.is(status))
    }
}

text_type! {
    /// The name of a folder of uploads.
    pub struct FolderName {
        format: "folder", code: "folder", sample: "incoming", pattern: FOLDER_PATTERN, check: folder_name
    }
    /// The ending of a file's name.
    pub struct FileType {
        format: "file-type", code: "file_type", sample: "pdf", pattern: "^[A-Za-z0-9]{1,16}$", check: file_type
    }
}

fn file_type(text: &str) -> Result<(), Refused> {
    if (1..=16).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let wrong = Refused::of_key("must be the ending of a file's name, of letters and digits");
    Err(wrong.hint("such as `pdf`, without the dot".to_owned()))
}
