//! Copies a file of the run's owner into a folder.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct CopyFile;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The file: its id, `doc_…`, or its path, folder and name.
    #[schemars(length(min = 1, max = 300))]
    pub document_id: String,
    /// The folder it goes to; it must exist.
    #[schemars(length(min = 1, max = 100))]
    pub target_folder_id: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The title of the copy; left out, that of the file.
    #[schemars(length(max = 300))]
    pub new_title: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The copy.
    pub new_document_id: String,
    /// Its title.
    pub new_title: String,
    /// Where it is: folder and name.
    pub new_folder_path: String,
}

impl Action for CopyFile {
    const NAME: &'static str = "copy_file";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Copies a file of the run's owner into a folder.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { requirement: Requirement::role(Role::Analyst), writes: true, ..contract }
    }
}
