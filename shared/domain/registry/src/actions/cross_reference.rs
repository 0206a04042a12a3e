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
        ("basis", DataType::String),
    ]);
    let doubtful = records(&[
        ("entity_a", DataType::Object),
        ("entity_b", DataType::Object),
        ("why", DataType::String),
    ]);
    Contract {
        inputs: vec![
            Slot::required("dataset_a", rows(), "Records or entities."),
            Slot::required("dataset_b", rows(), "Records or entities to compare with."),
            // Ours, with `entity_field`: what somebody resolved is what counts, not the names again.
            Slot::optional(
                "doubts",
                rows(),
                "The pairs in doubt, as match_entities gives them in `ambiguous`.",
            ),
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
            // Ours: without them the handler looks for the usual name fields, and pairs within one organisation count.
            Slot::optional(
                "name_field_a",
                DataType::String,
                "The field of the first dataset that holds names.",
            ),
            Slot::optional("name_field_b", DataType::String, "The same of the second dataset."),
            Slot::optional(
                "id_field_a",
                DataType::String,
                "The field of the first dataset that holds external ids.",
            ),
            Slot::optional("id_field_b", DataType::String, "The same of the second dataset."),
            Slot::optional("entity_type", DataType::String, "What the names are, such as PERSON."),
            Slot::optional(
                "distinct_field",
                DataType::String,
                "Records with the same value in it are not paired.",
            ),
            Slot::optional(
                "entity_field",
                DataType::String,
                "The field with the resolved entity: records match when it is equal, and only then.",
            ),
        ],
        outputs: vec![
            Slot::required("matches", matches, "Pairs that mean the same entity."),
            Slot::required("unmatched_a", rows(), "What only the first dataset has."),
            Slot::required("unmatched_b", rows(), "What only the second dataset has."),
            Slot::required("count", DataType::Integer, "How many pairs there are."),
            Slot::required(
                "doubtful",
                doubtful,
                "Pairs of the doubts: perhaps the same entity, and `why` nobody can say.",
            ),
            Slot::required("doubtful_count", DataType::Integer, "How many of them there are."),
        ],
        ..Contract::reading(
            "cross_reference",
            "tool-data",
            "Finds the entities two datasets have in common.",
        )
    }
}
