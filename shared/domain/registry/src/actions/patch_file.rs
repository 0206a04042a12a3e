//! Changes the text of a file of the run's owner.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Contract, TOOL_FILES_WRITE};

/// The declaration.
#[derive(Debug)]
pub struct PatchFile;

/// One change of a text (K-47).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "operation", rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Puts the content at the end.
    Append {
        /// The content, as it is.
        content: String,
    },
    /// Puts the content at the beginning.
    Prepend {
        /// The content, as it is.
        content: String,
    },
    /// Puts the content in the place of the target.
    Replace {
        /// A part of the text that is there exactly once.
        #[schemars(extend("minLength" = 1))]
        target: String,
        /// The content, as it is; empty to take the target away.
        content: String,
    },
    /// Puts the content behind the target.
    Insert {
        /// A part of the text that is there exactly once.
        #[schemars(extend("minLength" = 1))]
        target: String,
        /// The content, as it is.
        content: String,
    },
}

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The file: its id, `doc_…`, or its path, folder and name.
    #[schemars(length(min = 1, max = 300))]
    pub document_id: String,
    /// What is changed, in this order; each edit sees what the one before left.
    #[schemars(length(min = 1, max = 100))]
    pub edits: Vec<Edit>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Whether a path that leads to no file makes one.
    #[serde(default)]
    pub create_if_missing: bool,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it was done; always true.
    pub success: bool,
    /// How many edits were made.
    pub operations_applied: u64,
    /// The length of the text now, in characters.
    pub new_content_length: u64,
}

impl Action for PatchFile {
    const NAME: &'static str = "patch_file";
    const FUNCTION: &'static str = TOOL_FILES_WRITE;
    const DESCRIPTION: &'static str = "Changes the text of a file of the run's owner.";
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
}
