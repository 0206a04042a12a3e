//! Finds the same entities in two datasets.

use super::{records, rows};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let matches = records(&[
        ("entity_a", DataType::Object),
        ("entity_b", DataType::Object),
        ("match_score", DataType::Number),
        ("match_method", DataType::String),
    ]);
    Contract {
        inputs: vec![
            Slot::required("dataset_a", rows(), "Records or entities."),
            Slot::required("dataset_b", rows(), "Records or entities to compare with."),
        ],
        params: vec![
            Slot::optional("match_strategy", DataType::String, "What must agree.")
                .or("fuzzy_name")
                .one_of(&["exact", "fuzzy_name", "external_id"]),
            Slot::optional(
                "match_threshold",
                DataType::Number,
                "From 0 to 1: how alike two names must be.",
            )
            .or(0.8),
        ],
        outputs: vec![
            Slot::required("matches", matches, "Pairs that mean the same entity."),
            Slot::required("unmatched_a", rows(), "What only the first dataset has."),
            Slot::required("unmatched_b", rows(), "What only the second dataset has."),
            Slot::required("count", DataType::Integer, "How many pairs there are."),
        ],
        ..Contract::reading(
            "cross_reference",
            "tool-data",
            "Finds the entities two datasets have in common.",
        )
    }
}
