//! Brings back a file of the run's owner that a step has removed.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Nothing;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct RestoreFile;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The file's id, `doc_…`: a removed file has no path.
    #[schemars(length(min = 1, max = 100))]
    pub document_id: String,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it is there; always true.
    pub success: bool,
    /// Its title.
    pub title: String,
    /// Where it is: folder and name.
    pub path: String,
}

impl Action for RestoreFile {
    const NAME: &'static str = "restore_file";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str =
        "Brings back a file of the run's owner that was removed in the last 30 days.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Nothing;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { requirement: Requirement::role(Role::Analyst), writes: true, ..contract }
    }
}
