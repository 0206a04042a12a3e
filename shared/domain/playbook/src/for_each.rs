//! What a step with `for_each` gives back.

use countersign_registry::{DataType, Field, Slot};

use crate::model::ForEach;

impl ForEach {
    /// How an item may have ended. The result counts each of them under the same name.
    pub const STATUSES: [&str; 6] =
        ["done", "failed", "unknown", "not_sent", "struck", "sent_before"];

    /// The result of a step that makes one call for each item, when one call gives back `output`.
    #[must_use]
    pub fn outputs(output: DataType) -> Vec<Slot> {
        let results = Slot::required("results", DataType::records(result(output)), "Every item.");
        let count = Slot::required("count", DataType::Integer, "How many items the list has.");
        let of = |status: &&str| {
            let description = format!("How many items are `{status}`.");
            Slot::required(status, DataType::Integer, &description)
        };
        let warnings = Slot::required(
            "warnings",
            DataType::array(DataType::String),
            "What could not be read of the answers.",
        );
        let warned = Slot::required("warning_count", DataType::Integer, "How many there are.");
        let counts = Self::STATUSES.iter().map(of);
        [results, count].into_iter().chain(counts).chain([warnings, warned]).collect()
    }
}

fn result(output: DataType) -> Vec<Field> {
    vec![
        Field::new("n", DataType::Integer),
        Field::new("key", DataType::String),
        Field::new("status", DataType::String),
        Field::new("output", output),
        Field::new("message", DataType::String),
    ]
}
