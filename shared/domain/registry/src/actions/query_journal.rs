//! Reads what the profile did before.

use super::{records, texts};
use crate::contract::{Contract, Slot};
use crate::data_type::{DataType, Field};

pub(super) fn contract() -> Contract {
    let entries = records(&[
        ("summary", DataType::String),
        ("created_at", DataType::Date),
        ("run_context", DataType::String),
        ("steps_completed", texts()),
        ("entities_discovered", DataType::array(DataType::Any)),
        ("outputs_produced", DataType::array(DataType::Any)),
        ("task_status", DataType::String),
    ]);
    let range = DataType::Record(vec![
        Field::new("from", DataType::Date),
        Field::new("to", DataType::Date),
    ]);
    Contract {
        inputs: vec![
            Slot::optional("query", DataType::String, "Words the entry must contain."),
            Slot::optional("date_from", DataType::Date, "The first day."),
            Slot::optional("date_to", DataType::Date, "The last day."),
            Slot::optional("entity_name", DataType::String, "A name the entry must mention."),
            Slot::optional("status", DataType::String, "The task status of the entry."),
        ],
        params: vec![
            Slot::optional("limit", DataType::Integer, "At most this many entries, newest first.")
                .or(20),
        ],
        outputs: vec![
            Slot::required("entries", entries, "The entries, newest first."),
            Slot::required("count", DataType::Integer, "How many there are."),
            Slot::required(
                "date_range",
                range,
                "The days the entries span; empty when there are none.",
            ),
        ],
        ..Contract::reading(
            "query_journal",
            "tool-journal",
            "Finds entries of the profile's journal.",
        )
    }
}
