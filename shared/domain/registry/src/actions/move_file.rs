//! Moves a file of the run's owner into another folder.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Nothing;
use crate::{Action, Contract, TOOL_FILES_WRITE};

/// The declaration.
#[derive(Debug)]
pub struct MoveFile;

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

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it was done; always true.
    pub success: bool,
    /// Where it is now: folder and name.
    pub new_folder_path: String,
}

impl Action for MoveFile {
    const NAME: &'static str = "move_file";
    const FUNCTION: &'static str = TOOL_FILES_WRITE;
    const DESCRIPTION: &'static str = "Moves a file of the run's owner into another folder.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Nothing;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract {
            requirement: Requirement::role(Role::Analyst),
            writes: true,
            irreversible: true,
            ..contract
        }
    }
}
