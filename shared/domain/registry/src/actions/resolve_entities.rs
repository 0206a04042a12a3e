//! Decides which names mean the same entity.

use super::{records, rows, texts};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let resolved = records(&[
        ("canonical_name", DataType::String),
        ("type", DataType::String),
        ("aliases", texts()),
        ("merge_count", DataType::Integer),
        ("confidence", DataType::Number),
    ]);
    Contract {
        inputs: vec![Slot::required(
            "entities",
            rows(),
            "Entities with name and type, as extract_entities gives them.",
        )],
        params: vec![
            Slot::optional(
                "strategy",
                DataType::String,
                "How names are compared; ml is refused, no model is shipped.",
            )
            .or("fuzzy")
            .one_of(&["exact", "fuzzy", "ml"]),
            Slot::optional(
                "threshold",
                DataType::Number,
                "From 0 to 1: names at least this alike are merged.",
            )
            .or(0.85),
        ],
        outputs: vec![
            Slot::required(
                "resolved",
                resolved,
                "One record per entity, with the names it goes by.",
            ),
            Slot::required(
                "merge_count",
                DataType::Integer,
                "How many names were merged into another.",
            ),
            Slot::required(
                "ambiguous",
                rows(),
                "Pairs too alike to keep apart and not alike enough to merge.",
            ),
        ],
        writes: true,
        rehearses: true,
        ..Contract::reading(
            "resolve_entities",
            "tool-knowledge",
            "Merges names that mean the same entity.",
        )
    }
}
