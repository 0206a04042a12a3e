//! Removes a file of the run's owner; it can be restored for 30 days.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Contract, Path, Problem, ProblemKind, TOOL_FILES_WRITE};

/// The declaration.
#[derive(Debug)]
pub struct DeleteFile;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The file: its id, `doc_…`, or its path, folder and name.
    #[schemars(length(min = 1, max = 300))]
    pub document_id: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Must be `true`: the file is not removed by mistake.
    pub confirm: bool,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it was done; always true.
    pub success: bool,
    /// The title of what was removed.
    pub deleted_title: String,
}

impl Action for DeleteFile {
    const NAME: &'static str = "delete_file";
    const FUNCTION: &'static str = TOOL_FILES_WRITE;
    const DESCRIPTION: &'static str =
        "Removes a file of the run's owner; it can be restored for 30 days.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract {
            requirement: Requirement::role(Role::Analyst),
            writes: true,
            irreversible: true,
            ..contract
        }
    }

    fn rules(params: &Params) -> Vec<Problem> {
        let message = "`confirm` must be `true`: the file is removed";
        let problem = || Problem::new(Path::of("confirm"), ProblemKind::NotAChoice, message);
        if params.confirm { Vec::new() } else { vec![problem()] }
    }
}
