//! What was added to a folder, changed in it or removed from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Action;
use crate::shape::{Date, Formed};

/// The declaration.
#[derive(Debug)]
pub struct DetectFolderChanges;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The folder's name, as uploads have it.
    #[schemars(length(min = 1))]
    pub folder_id: String,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeType {
    /// It was not there before.
    Added,
    /// It holds something else.
    Modified,
    /// It is gone.
    Deleted,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Only these changes; left out, all. The others are known from then on.
    #[serde(default)]
    pub change_types: Vec<ChangeType>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The changes: added, modified, deleted.
    pub changes: Vec<FileChange>,
    /// How many files were added.
    pub added_count: usize,
    /// How many hold something else.
    pub modified_count: usize,
    /// How many are gone.
    pub deleted_count: usize,
    /// How many changes there are.
    pub count: usize,
    /// Where the step stands once they are processed.
    pub watermark: Option<String>,
    /// Where it stood before.
    pub previous_watermark: Option<String>,
}

/// A change of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FileChange {
    pub file_id: String,
    pub filename: String,
    pub change_type: ChangeType,
    pub old_hash: Option<String>,
    pub new_hash: Option<String>,
    #[schemars(with = "Date")]
    pub timestamp: String,
    /// What a step names to read it.
    pub source: String,
}

impl Action for DetectFolderChanges {
    const NAME: &'static str = "detect_folder_changes";
    const FUNCTION: &'static str = "tool-connect";
    const DESCRIPTION: &'static str =
        "Finds what was added to a folder, changed in it or removed from it since the last look.";
    const REFUSED: [&'static str; 3] = ["DETECT_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;
}
