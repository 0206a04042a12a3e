//! Writes records into a table of a workspace.

use countersign_identity::{Requirement, Role};

use super::{rows, texts};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    Contract {
        inputs: vec![Slot::required("data", rows(), "The records, one per row.")],
        params: vec![
            Slot::optional("table_name", DataType::String, "The table; left out, the step's name."),
            Slot::optional(
                "workspace_id",
                DataType::String,
                "The workspace; left out, the owner's default.",
            ),
            Slot::optional("create_if_missing", DataType::Boolean, "Whether to make the table.")
                .or(true),
            Slot::optional(
                "upsert_key",
                texts(),
                "Columns whose values identify a row: an equal row is updated.",
            ),
        ],
        outputs: vec![
            Slot::required("rows_inserted", DataType::Integer, "New rows."),
            Slot::required("rows_updated", DataType::Integer, "Changed rows."),
            Slot::required("table_name", DataType::String, "The table."),
            Slot::required("workspace_id", DataType::String, "The workspace."),
        ],
        requirement: Requirement::role(Role::Analyst),
        writes: true,
        ..Contract::reading(
            "save_to_workspace",
            "tool-output",
            "Writes records into a table of a workspace.",
        )
    }
}
