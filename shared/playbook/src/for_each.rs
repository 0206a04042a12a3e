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
        [results, count].into_iter().chain(Self::STATUSES.iter().map(of)).collect()
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
