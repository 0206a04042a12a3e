//! Finds people, organisations, places and other things named in records.

use super::{records, rows};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let entities = records(&[
        ("name", DataType::String),
        ("type", DataType::String),
        ("source_field", DataType::String),
        ("source_record_index", DataType::Integer),
        ("confidence", DataType::Number),
    ]);
    Contract {
        inputs: vec![Slot::required("data", rows(), "The records to read.")],
        params: vec![
            Slot::optional(
                "entity_types",
                DataType::Any,
                "A list such as [PERSON, ORG], or auto for every known type.",
            )
            .or("auto"),
            Slot::optional(
                "relationship_type",
                DataType::String,
                "How the entities of one record are related.",
            ),
            Slot::optional(
                "strategy",
                DataType::String,
                "How names are found; ml is refused, no model is shipped.",
            )
            .or("auto")
            .one_of(&["auto", "rules", "ml"]),
            // Ours: the rules a connector would bring, for data that comes from elsewhere.
            Slot::optional(
                "rules",
                rows(),
                "Which fields name entities, each {field, entity_type, relationship_type}.",
            ),
        ],
        outputs: vec![
            Slot::required("entities", entities, "What was found, with its place in the data."),
            Slot::required("count", DataType::Integer, "How many were found."),
        ],
        ..Contract::reading("extract_entities", "tool-data", "Finds the entities named in records.")
    }
}
