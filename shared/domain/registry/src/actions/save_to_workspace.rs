//! Writes records into a table of a workspace.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shape::Records;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct SaveToWorkspace;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The records, one per row.
    #[schemars(with = "Records")]
    pub data: Value,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The table; left out, the step's name.
    #[schemars(extend("format" = "table-name"))]
    pub table_name: Option<String>,
    /// The workspace; left out, the owner's default.
    #[schemars(extend("format" = "table-name"))]
    pub workspace_id: Option<String>,
    /// Whether to make the table.
    #[serde(default = "yes")]
    pub create_if_missing: bool,
    /// Columns whose values identify a row: an equal row is updated.
    pub upsert_key: Option<Vec<String>>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// New rows.
    pub rows_inserted: u64,
    /// Changed rows; a record with the key of an earlier one of the same call changes that one's.
    pub rows_updated: u64,
    /// The table.
    pub table_name: String,
    /// The workspace.
    pub workspace_id: String,
    /// Records that took the place of an earlier one of the same call.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
}

fn yes() -> bool {
    true
}

impl Action for SaveToWorkspace {
    const NAME: &'static str = "save_to_workspace";
    const FUNCTION: &'static str = "tool-output";
    const DESCRIPTION: &'static str = "Writes records into a table of a workspace.";
    const REFUSED: [&'static str; 3] = ["OUTPUT_NOT_RECORDS", "OUTPUT_INVALID", "OUTPUT_INVALID"];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { requirement: Requirement::role(Role::Analyst), writes: true, ..contract }
    }
}
