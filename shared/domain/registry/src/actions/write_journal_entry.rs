//! Writes what was done into the profile's journal.

use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let anything = || DataType::array(DataType::Any);
    Contract {
        inputs: vec![
            Slot::required(
                "summary",
                DataType::String,
                "What was done and found, in a few sentences.",
            ),
            Slot::optional("detail_entries", anything(), "Single findings, as texts or records."),
            Slot::optional(
                "entities_mentioned",
                anything(),
                "Who and what it is about, as names or entities.",
            ),
        ],
        outputs: vec![
            Slot::required("journal_entry_id", DataType::String, "The entry."),
            Slot::required("success", DataType::Boolean, "Whether it was written."),
        ],
        writes: true,
        ..Contract::reading(
            "write_journal_entry",
            "tool-journal",
            "Writes an entry into the profile's journal.",
        )
    }
}
