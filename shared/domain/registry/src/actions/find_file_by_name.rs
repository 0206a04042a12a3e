//! Finds files of the run's owner by their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file_place::{File, NoTeam, SearchedScope};
use crate::Action;

/// The declaration.
#[derive(Debug)]
pub struct FindFileByName;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// A part of the name or title, in any case of letters.
    #[schemars(length(min = 1, max = 300))]
    pub name: String,
    /// Whose files.
    #[serde(default)]
    pub scope: SearchedScope,
    /// Not accepted: teams have no files.
    pub team_id: Option<NoTeam>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Whether the whole name or title has to be equal, letter by letter.
    #[serde(default)]
    pub exact_match: bool,
    /// Only files with these endings, such as `md`.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub file_types: Vec<String>,
    /// Only this folder.
    pub folder_id: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The files.
    pub files: Vec<File>,
    /// How many there are here.
    pub count: u64,
    /// What was left out.
    pub warnings: Vec<String>,
    /// How many warnings there are.
    pub warning_count: u64,
}

impl Action for FindFileByName {
    const NAME: &'static str = "find_file_by_name";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Finds files of the run's owner by their names.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;
}
