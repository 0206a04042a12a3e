//! Reads a file of the run's owner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file_place::{File, FileScope, NoTeam};
use crate::Action;
use crate::shape::AnyObject;

/// The declaration.
#[derive(Debug)]
pub struct ReadFile;

fn max_length() -> u32 {
    100_000
}

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The file's id, `doc_…`.
    pub document_id: Option<String>,
    /// Its path instead: folder and name, or the name alone of a file without a folder. A list of to-dos has the path `todos/` and its name.
    #[schemars(length(max = 300))]
    pub path: Option<String>,
    /// Whose files.
    #[serde(default)]
    pub scope: FileScope,
    /// Not accepted: teams have no files.
    pub team_id: Option<NoTeam>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// At most so many characters; what is left out is told as a warning.
    #[serde(default = "max_length")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_length: u32,
    /// Whether the YAML front matter of a Markdown file is read into `frontmatter`, and left out of `content`.
    #[serde(default)]
    pub include_frontmatter: bool,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The text.
    pub content: String,
    /// The title.
    pub title: String,
    /// The ending of its name, in lower case; empty without one.
    pub file_type: String,
    /// The front matter, when it was asked for and there is any.
    #[schemars(with = "Option<AnyObject>")]
    pub frontmatter: Option<Value>,
    /// The file.
    pub metadata: File,
    /// What was left out.
    pub warnings: Vec<String>,
    /// How many warnings there are.
    pub warning_count: u64,
}

impl Action for ReadFile {
    const NAME: &'static str = "read_file";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Reads a file of the run's owner.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;
}
