//! Files of a folder that were not there before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Action;
use crate::shape::{Date, Formed};

/// The declaration.
#[derive(Debug)]
pub struct DetectNewFiles;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The folder's name, as uploads have it.
    #[schemars(length(min = 1))]
    pub folder_id: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Only files of these types, by their endings; left out, all.
    #[serde(default)]
    pub file_types: Vec<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The new files, the oldest first.
    pub files: Vec<File>,
    /// How many there are.
    pub count: usize,
    /// Where the step stands once they are processed.
    pub watermark: Option<String>,
    /// Where it stood before.
    pub previous_watermark: Option<String>,
}

/// A file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct File {
    pub file_id: String,
    pub filename: String,
    pub file_type: String,
    pub size_bytes: u64,
    #[schemars(with = "Date")]
    pub created_at: String,
    #[schemars(with = "Date")]
    pub modified_at: String,
    pub folder_path: String,
    /// What a step names to read it.
    pub source: String,
}

impl Action for DetectNewFiles {
    const NAME: &'static str = "detect_new_files";
    const FUNCTION: &'static str = "tool-connect";
    const DESCRIPTION: &'static str =
        "Finds files of a folder that were not there at the last look.";
    const REFUSED: [&'static str; 3] = ["DETECT_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;
}
