//! Sends data to destinations in the middle of a playbook.

use countersign_identity::{Requirement, Role};

use super::{records, rows};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;
use crate::items::Items;

pub(super) fn contract() -> Contract {
    let routed = records(&[
        ("destination", DataType::String),
        ("status", DataType::String),
        ("details", DataType::Any),
    ]);
    Contract {
        inputs: vec![Slot::required("data", DataType::Any, "What to write.")],
        params: vec![Slot::optional(
            "destinations",
            rows(),
            "Where to, each {type, format, condition, transforms, config}; left out, the profile's outputs.",
        )
        .of_items(destinations())],
        outputs: vec![
            Slot::required(
                "routed_to",
                routed,
                "One row per destination, whether it succeeded or not.",
            ),
            Slot::required("success", DataType::Boolean, "Whether every destination was reached."),
        ],
        requirement: Requirement::role(Role::Analyst),
        writes: true,
        ..Contract::reading(
            "route_output",
            "tool-output",
            "Writes data to documents, tables, files or the chat.",
        )
    }
}

fn destinations() -> Items {
    Items::with(&["type", "format", "condition", "transforms", "confirm", "config"])
        .needing("type")
        .choosing("type", &["document", "data_workspace_table", "chat", "file_export"])
        .choosing("format", &["markdown", "json", "csv", "structured"])
}
